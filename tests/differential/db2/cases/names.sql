-- Names that need quotes and that Debezium can read: a lower-case letter makes it quote a table's name.
CREATE SCHEMA "my schema";
CREATE TABLE "my schema"."t-1.x" ("the id" INTEGER NOT NULL PRIMARY KEY, "a-b" INTEGER, "3rd" VARCHAR(5), "ž" INTEGER);
CREATE TABLE "With Space" (ID INTEGER NOT NULL PRIMARY KEY);
CREATE TABLE "tëxt" ("id" INTEGER NOT NULL PRIMARY KEY);
CREATE TABLE "Mixed_Case$" (ID INTEGER NOT NULL PRIMARY KEY, "V#1" INTEGER, "say ""hi""" INTEGER);
CREATE TABLE PLAIN$1#@ (ID INTEGER NOT NULL PRIMARY KEY, "order" INTEGER);
--- register "my schema"."t-1.x", "With Space", "tëxt", "Mixed_Case$", "PLAIN$1#@"
INSERT INTO "my schema"."t-1.x" VALUES (1, 2, 'x', 3);
INSERT INTO "With Space" VALUES (1);
INSERT INTO PLAIN$1#@ VALUES (1, 1);
--- then
INSERT INTO "my schema"."t-1.x" VALUES (2, 2, 'x', 3);
INSERT INTO "With Space" VALUES (2);
INSERT INTO "tëxt" VALUES (2);
INSERT INTO "Mixed_Case$" VALUES (2, 5, 5);
UPDATE "Mixed_Case$" SET "V#1" = 6;
INSERT INTO PLAIN$1#@ VALUES (2, 2);
