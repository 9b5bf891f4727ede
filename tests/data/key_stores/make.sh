#!/usr/bin/env bash
# The stores of tests/test_key_stores.py, made by Java's own keytool. Every password is "store-secret", but for the key of
# own-password.jks ("key-secret"). Run it in an empty folder.
set -euo pipefail
secret=store-secret
pass=(-storepass "$secret" -keypass "$secret")
make_key() { keytool -genkeypair -keystore "$1" -storetype "$2" -alias "$3" -keyalg EC -groupname secp256r1 -dname "CN=$3" "${@:4}"; }
trust() { keytool -importcert -noprompt -keystore "$1" -storetype "$2" -storepass "$secret" -alias "$3" -file "$3.crt"; }

make_key authority.jks JKS authority "${pass[@]}" -validity 36500 -ext bc:c
make_key other.jks JKS other "${pass[@]}" -validity 36500 -ext bc:c
make_key old.jks JKS old "${pass[@]}" -startdate -3d -validity 1
for name in authority other old; do keytool -exportcert -keystore $name.jks -storepass "$secret" -alias $name -file $name.crt; done
for name in authority other old; do trust trust.jks JKS $name; done
trust trust.p12 PKCS12 authority
trust expired.jks JKS old

make_key key.jks JKS client "${pass[@]}" -validity 36500
keytool -certreq -keystore key.jks "${pass[@]}" -alias client |
  keytool -gencert -keystore authority.jks "${pass[@]}" -alias authority -validity 36500 -outfile client.crt
trust key.jks JKS authority
keytool -importcert -noprompt -keystore key.jks "${pass[@]}" -alias client -file client.crt
make_key two-keys.jks JKS old "${pass[@]}" -startdate -3d -validity 1
make_key two-keys.jks JKS new "${pass[@]}" -validity 36500
make_key own-password.jks JKS client -storepass "$secret" -keypass key-secret -validity 36500
keytool -importkeystore -srckeystore key.jks -srcstorepass "$secret" -destkeystore key.p12 -deststoretype PKCS12 -deststorepass "$secret"
keytool -J-Dkeystore.pkcs12.legacy -importkeystore -srckeystore key.jks -srcstorepass "$secret" \
  -destkeystore legacy.p12 -deststoretype PKCS12 -deststorepass "$secret"
for kind in JKS PKCS12; do
  file=empty.$([ $kind = JKS ] && echo jks || echo p12)
  make_key "$file" $kind gone "${pass[@]}"
  keytool -delete -keystore "$file" -storepass "$secret" -alias gone
done
make_key jceks.jks JCEKS client "${pass[@]}" -validity 36500
rm authority.jks other.jks old.jks ./*.crt
