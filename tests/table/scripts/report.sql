.mode list
CREATE TABLE author(id INTEGER PRIMARY KEY, name TEXT NOT NULL, born INT);
CREATE TABLE book(id INTEGER PRIMARY KEY, author INT REFERENCES author, title TEXT, price REAL, year INT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
  INSERT INTO author SELECT i, 'author ' || (i * 7919 % 211), 1900 + i * 37 % 100 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
  INSERT INTO book SELECT i, i * 31 % 200 + 1, printf('title %05d', i * 7 % 4999), round(i * 0.37 + sin(i), 3), 1950 + i % 70 FROM n;
CREATE INDEX book_author ON book(author, year);
SELECT a.name, count(*), sum(b.price), avg(b.price), min(b.year), max(b.title) FROM author a JOIN book b ON b.author = a.id
  GROUP BY a.id HAVING count(*) > 24 ORDER BY 3 DESC, 1 LIMIT 12;
SELECT name FROM author LEFT JOIN book ON book.author = author.id AND book.year = 1987 WHERE book.id IS NULL ORDER BY name LIMIT 5;
SELECT year, price, rank() OVER (PARTITION BY year ORDER BY price DESC) AS r, sum(price) OVER (ORDER BY id ROWS 3 PRECEDING) FROM book WHERE id < 15;
EXPLAIN QUERY PLAN SELECT * FROM book WHERE author = 3 AND year > 1990;
SELECT 0.1 + 0.2, 1e300 * 1e10, 1.0 / 3, 5 / 2, -5 % 3, 9223372036854775807 + 1, CAST('12abc' AS INT), round(2.5), typeof(1e3), 1e15, 123456789012345.678;
SELECT upper('straße'), length('日本'), substr('abcdef', -3, 2), replace('aXbX', 'X', '--'), instr('hello', 'l'), hex(x'00ff'), quote('it''s'), unicode('€'), char(8364, 65);
SELECT date('2024-02-29', '+1 year'), julianday('2000-01-01'), strftime('%W %j %s', '2023-12-31'), datetime(1e9, 'unixepoch');
SELECT json_extract('{"a":[1,{"b":2}]}', '$.a[1].b'), json_group_array(id) FROM author WHERE id < 6;
CREATE VIRTUAL TABLE doc USING fts5(body); INSERT INTO doc SELECT title || ' by ' || name FROM book JOIN author ON author.id = book.author;
SELECT count(*), min(body) FROM doc WHERE doc MATCH 'author NEAR(by)' ; SELECT body FROM doc WHERE doc MATCH '"title 00042" OR 00777' ORDER BY rank;
BEGIN; UPDATE book SET price = price * 1.07 WHERE year < 1960; DELETE FROM book WHERE id % 3 = 0; SELECT count(*), total(price) FROM book; ROLLBACK;
SELECT count(*), total(price) FROM book; CREATE TRIGGER t AFTER INSERT ON author BEGIN UPDATE author SET born = new.born + 1 WHERE id = new.id; END;
INSERT INTO author VALUES(999, 'new', 1); SELECT * FROM author WHERE id = 999; INSERT INTO author VALUES(999, 'again', 1);
PRAGMA integrity_check; SELECT * FROM nowhere;
