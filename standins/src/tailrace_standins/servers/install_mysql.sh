#!/bin/sh
# install_mysql.sh DIRECTORY: a MySQL server for tests and the demo, on Debian or Ubuntu, without root rights.
#
# Takes mysql-server-core, mysql-client-core and the libraries they link from the mirror that this machine's apt
# already uses, unpacks them below DIRECTORY/root and writes wrappers to DIRECTORY/bin, which start them with the
# dynamic loader of the same release. Nothing outside DIRECTORY changes: apt works on lists and a cache of its own.
# Debian's stable releases have no MySQL: there the packages of sid are taken.
set -eu

directory=$(realpath -m "${1:?usage: install_mysql.sh DIRECTORY}")
apt=$directory/apt
fail() { echo "install_mysql.sh: $*" >&2; exit 1; }

for tool in apt-get apt-cache dpkg-deb; do
    command -v "$tool" >/dev/null || fail "$tool not found: this works on Debian and Ubuntu only"
done
. /etc/os-release

# The archive this machine uses: address, release, section and file type of each list; security and update archives
# come later in the list or under names of their own.
mirror=$(apt-get indextargets --no-release-info --format '$(REPO_URI) $(COMPONENT) $(CREATED_BY)' 2>/dev/null |
    awk '$2 == "main" && $3 == "Packages" && $1 !~ /security/ { print $1; exit }')
[ -n "$mirror" ] || fail "apt's configuration names no archive with a section main"

case ${ID:-} in
    ubuntu) release=$VERSION_CODENAME; sections="main universe"; ring=ubuntu-archive-keyring ;;
    *) release=sid; sections=main; ring=debian-archive-keyring ;;
esac
keyring=$(ls /usr/share/keyrings/$ring.gpg /usr/share/keyrings/$ring.pgp 2>/dev/null | head -n 1)
[ -n "$keyring" ] || fail "no key ring /usr/share/keyrings/$ring.gpg to check the packages with"

mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$directory/root" "$directory/bin"
: > "$apt/status"
echo "deb [signed-by=$keyring] $mirror $release $sections" > "$apt/sources.list"
cat > "$apt/apt.conf" <<CONF
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::State::lists "$apt/lists";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
APT::Install-Recommends "false";
APT::Sandbox::User "";
APT::Update::Post-Invoke "";
APT::Update::Post-Invoke-Success "";
Acquire::Languages "none";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled "false";
Acquire::Retries "3";
Debug::NoLocking "true";
CONF
export APT_CONFIG=$apt/apt.conf

apt-get -qq update
newest() { apt-cache pkgnames "$1" | grep -E "^$1(-[0-9.]+)?\$" | sort -V | tail -n 1; }
server=$(newest mysql-server-core)
client=$(newest mysql-client-core)
[ -n "$server" ] && [ -n "$client" ] || fail "release $release of this machine's archive has no MySQL server"

# Everything the two need by an empty system, but for the base system, of which only the libraries are wanted.
packages=$(apt-get -s install "$server" "$client" 2>/dev/null | awk '/^Inst/ { print $2 }' |
    grep -E '^(mysql-|lib)' |
    grep -vE '^lib(perl|pam|dpkg|apt|systemd|blkid|mount|smartcols|uuid|audit|semanage|sepol|crypt|db5|gdbm|cap)')
cd "$apt/cache/archives"
# shellcheck disable=SC2086
apt-get -qq download $packages
for package in *.deb; do dpkg-deb -x "$package" "$directory/root"; done

for program in usr/sbin/mysqld usr/bin/mysql usr/bin/mysqladmin usr/bin/mysqlbinlog usr/bin/mysqldump; do
    [ -x "$directory/root/$program" ] || continue
    cat > "$directory/bin/${program##*/}" <<'WRAPPER'
#!/bin/sh
root=$(dirname "$(realpath "$0")")/../root
set -- "$root/PROGRAM" "$@"
libraries=
for folder in "$root"/usr/lib/*-linux-gnu* "$root"/lib/*-linux-gnu*; do
    [ -d "$folder" ] && libraries=$libraries${libraries:+:}$folder:$folder/mysql/private
done
for loader in "$root"/usr/lib/*-linux-gnu*/ld-linux*.so.* "$root"/lib/ld-linux*.so.* "$root"/lib64/ld-linux*.so.*; do
    [ -x "$loader" ] && exec "$loader" --library-path "$libraries" "$@"
done
echo "no dynamic loader below $root" >&2
exit 127
WRAPPER
    sed -i "s|PROGRAM|$program|" "$directory/bin/${program##*/}"
    chmod +x "$directory/bin/${program##*/}"
done
cd "$directory"
rm -rf "$apt"
"$directory/bin/mysqld" --version
