create table t(a integer primary key, b text, c real); create index ti on t(b);
with recursive n(i) as (select 1 union all select i+1 from n where i<300) insert into t select i, 'row' || (i*7919 % 1000), i/3.0 from n;
select count(*), sum(a), avg(c), max(b), min(b) from t; select b, count(*) from t group by substr(b,1,4) having count(*)>20 order by 2 desc, 1 limit 5;
create table u as select a, b from t where a%3=0; delete from t where a%5=0; update t set b=upper(b) where a<20; select * from t join u using(a) order by a desc limit 4;
create view v as select a, row_number() over (order by b) r from t; select * from v where r between 3 and 6; explain query plan select * from t where b='ROW1';
create trigger tr after insert on u begin insert into t values(new.a+10000, new.b, 1.5); end; insert into u values(9999,'x'); select * from t where a>10000;
begin; delete from t; rollback; select count(*) from t; select json_extract('{"a":[1,2,{"b":3}]}','$.a[2].b'), printf('%08.3f|%s|%x',3.14159,'s',255), hex(zeroblob(3)), date('2020-02-29','+1 year'), instr('hello','l'), replace('aXbX','X','--'), quote('it''s'), like('a%','abc'), glob('a*','abc');
create virtual table ft using fts5(x); insert into ft values('the quick brown fox'),('lazy dogs sleep'); select * from ft where ft match 'quick OR dogs'; pragma integrity_check; vacuum; select a, lag(b) over (order by a) from t limit 3; select group_concat(b) from (select b from t order by a limit 5); .schema t
