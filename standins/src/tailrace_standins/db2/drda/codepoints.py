"""The numbers of DDM's commands, replies, objects and parameters.

Source: The Open Group, DRDA V5 volume 3, "Terms" (each has its codepoint); the names are DDM's.
"""

from __future__ import annotations

from enum import IntEnum


class Command(IntEnum):
    """What clients ask."""

    EXCSAT = 0x1041
    ACCSEC = 0x106D
    SECCHK = 0x106E
    ACCRDB = 0x2001
    INTRDBRQS = 0x2003
    CLSQRY = 0x2005
    CNTQRY = 0x2006
    DSCSQLSTT = 0x2008
    EXCSQLIMM = 0x200A
    EXCSQLSTT = 0x200B
    OPNQRY = 0x200C
    PRPSQLSTT = 0x200D
    RDBCMM = 0x200E
    RDBRLLBCK = 0x200F
    EXCSQLSET = 0x2014


class Reply(IntEnum):
    """Reply messages (in reply segments)."""

    SECCHKRM = 0x1219
    PRCCNVRM = 0x1245
    SYNTAXRM = 0x124C
    CMDNSPRM = 0x1250
    EXCSATRD = 0x1443
    ACCSECRD = 0x14AC
    ACCRDBRM = 0x2201
    QRYNOPRM = 0x2202
    RDBNACRM = 0x2204
    OPNQRYRM = 0x2205
    ENDQRYRM = 0x220B
    ENDUOWRM = 0x220C
    ABNUOWRM = 0x220D
    RDBNFNRM = 0x2211
    OPNQFLRM = 0x2212
    RSLSETRM = 0x2219


class Data(IntEnum):
    """Objects with data (in object segments)."""

    FDODSC = 0x0010
    EXTDTA = 0x146C
    FDODTA = 0x147A
    SQLCARD = 0x2408
    SQLCINRD = 0x240B
    SQLRSLRD = 0x240E
    SQLDARD = 0x2411
    SQLDTA = 0x2412
    SQLSTT = 0x2414
    QRYDSC = 0x241A
    QRYDTA = 0x241B
    SQLATTR = 0x2450


class Parameter(IntEnum):
    """Parameters of commands and reply messages."""

    CODPNT = 0x000C
    TYPDEFNAM = 0x002F
    TYPDEFOVR = 0x0035
    PRDID = 0x112E
    PRCCNVCD = 0x113F
    SRVCLSNM = 0x1147
    SVRCOD = 0x1149
    SRVRLSLV = 0x115A
    EXTNAM = 0x115E
    SRVNAM = 0x116D
    CCSIDSBC = 0x119C
    CCSIDDBC = 0x119D
    CCSIDMBC = 0x119E
    USRID = 0x11A0
    PASSWORD = 0x11A1
    SECMEC = 0x11A2
    SECCHKCD = 0x11A4
    MGRLVLLS = 0x1404
    QRYPRCTYP = 0x2102
    RDBINTTKN = 0x2103
    RDBNAM = 0x2110
    PKGNAMCSN = 0x2113
    QRYBLKSZ = 0x2114
    UOWDSP = 0x2115
    RTNSQLDA = 0x2116
    SQLCSRHLD = 0x211F
    SMLDTASZ = 0x2136
    PRCNAM = 0x2138
    PKGSNLST = 0x2139
    NBRROW = 0x213A
    TYPSQLDA = 0x2146
    DYNDTAFMT = 0x214B
    QRYATTUPD = 0x2150
    QRYINSID = 0x215B


class Manager(IntEnum):
    """Managers, whose levels client and server agree on."""

    AGENT = 0x1403
    SECMGR = 0x1440
    CMNTCPIP = 0x1474
    CCSIDMGR = 0x14CC
    UNICODEMGR = 0x1C08
    SQLAM = 0x2407
    RDB = 0x240F
