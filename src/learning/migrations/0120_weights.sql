-- What one homework or test counts in a grade, in place of its points. Null: its points decide. Not validated, because
-- that would read every row, and no row has a weight yet.
alter table learning.homework add column weight numeric(6, 2);
alter table learning.homework add constraint homework_weight check (weight between 0 and 1000) not valid;
alter table learning.tests add column weight numeric(6, 2);
alter table learning.tests add constraint tests_weight check (weight between 0 and 1000) not valid;
