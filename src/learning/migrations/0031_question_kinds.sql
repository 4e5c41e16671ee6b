-- Which kinds of question there are is settled by one table of the program; the schema of every request holds it.
alter table learning.questions drop constraint questions_type_check;
