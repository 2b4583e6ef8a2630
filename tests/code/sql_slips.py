"""References for `sql_result`, slips that people and models make in them, and right rewordings."""

BOOKS = """CREATE TABLE author (aid INTEGER PRIMARY KEY, name TEXT NOT NULL, born DATE, country TEXT);
CREATE TABLE book (bid INTEGER PRIMARY KEY, title TEXT, aid INTEGER REFERENCES author(aid), price REAL, pages INTEGER, genre TEXT, published DATE);
CREATE TABLE sale (bid INTEGER REFERENCES book(bid), day DATE, qty INTEGER, PRIMARY KEY (bid, day));
INSERT INTO author VALUES (1,'Ann Lee','1970-05-01','US'),(2,'Bo Chan','1985-11-20','CN'),(3,'Cy Dale',NULL,'UK');
INSERT INTO book VALUES (1,'Alpha',1,9.99,120,'crime','2001-02-03'),(2,'Beta',1,19.5,340,'poetry','2011-06-30'),(3,'Gamma',2,5.0,90,'crime','2015-12-24'),(4,'Delta',NULL,12.25,210,NULL,'2020-01-01');
INSERT INTO sale VALUES (1,'2021-01-01',3),(1,'2021-01-02',1),(2,'2021-01-01',7),(3,'2022-05-05',2);"""
GAMES = "CREATE TABLE game (date VARCHAR, home VARCHAR, away VARCHAR, score VARCHAR, crowd INTEGER, venue VARCHAR)"
ROWS: list[tuple[str, str, list[str], list[str]]] = [
    (
        BOOKS,
        "SELECT title, rank() OVER (ORDER BY price DESC) FROM book",
        [
            "SELECT title, row_number() OVER (ORDER BY price DESC) FROM book",
            "SELECT title, dense_rank() OVER (ORDER BY price DESC) FROM book",
            "SELECT title, rank() OVER (ORDER BY price) FROM book",
            "SELECT title, rank() OVER (PARTITION BY genre ORDER BY price DESC) FROM book",
        ],
        [
            "SELECT title, 1 + (SELECT count(*) FROM book b WHERE b.price > book.price OR (book.price IS NULL AND b.price IS NOT NULL)) FROM book"
        ],
    ),
    (
        BOOKS,
        "SELECT a.name, sum(s.qty) FROM author a JOIN book b ON a.aid = b.aid JOIN sale s ON s.bid = b.bid GROUP BY a.aid",
        [
            "SELECT a.name, sum(s.qty) FROM author a LEFT JOIN book b ON a.aid = b.aid LEFT JOIN sale s ON s.bid = b.bid GROUP BY a.aid",
            "SELECT a.name, sum(s.qty) FROM author a JOIN book b ON a.aid = b.aid JOIN sale s ON s.bid = b.bid GROUP BY a.name",
            "SELECT a.name, count(s.qty) FROM author a JOIN book b ON a.aid = b.aid JOIN sale s ON s.bid = b.bid GROUP BY a.aid",
            "SELECT a.name, total(s.qty) FROM author a JOIN book b ON a.aid = b.aid JOIN sale s ON s.bid = b.bid GROUP BY a.aid",
            "SELECT a.name, sum(DISTINCT s.qty) FROM author a JOIN book b ON a.aid = b.aid JOIN sale s ON s.bid = b.bid GROUP BY a.aid",
        ],
        [
            "SELECT name, (SELECT sum(qty) FROM sale WHERE bid IN (SELECT bid FROM book WHERE aid = author.aid)) FROM author WHERE aid IN (SELECT aid FROM book WHERE bid IN (SELECT bid FROM sale))"
        ],
    ),
    (
        BOOKS,
        "SELECT genre, avg(price) FROM book GROUP BY genre HAVING avg(price) > 10",
        [
            "SELECT genre, avg(price) FROM book WHERE price > 10 GROUP BY genre",
            "SELECT genre, avg(price) FROM book GROUP BY genre HAVING avg(price) >= 10",
            "SELECT genre, avg(price) FROM book GROUP BY genre HAVING sum(price) > 10",
            "SELECT genre, round(avg(price), 2) FROM book GROUP BY genre HAVING avg(price) > 10",
            "SELECT genre, avg(price) FROM book GROUP BY genre HAVING max(price) > 10",
            "SELECT genre, avg(price) FROM book WHERE genre IS NOT NULL GROUP BY genre HAVING avg(price) > 10",
        ],
        ["SELECT * FROM (SELECT genre, avg(price) AS p FROM book GROUP BY genre) WHERE p > 10"],
    ),
    (
        BOOKS,
        "SELECT name FROM author WHERE born IS NULL",
        [
            "SELECT name FROM author WHERE born = ''",
            "SELECT name FROM author",
            "SELECT name FROM author WHERE born IS NULL AND country IS NOT NULL",
            "SELECT name FROM author WHERE coalesce(born, '') = '' AND country = 'UK'",
        ],
        ["SELECT name FROM author WHERE coalesce(born, '') = ''"],
    ),
    (
        BOOKS,
        "SELECT name FROM author WHERE aid IN (SELECT aid FROM book WHERE genre = 'crime') AND aid IN (SELECT aid FROM book WHERE genre = 'poetry')",
        [
            "SELECT a.name FROM author a JOIN book b ON a.aid = b.aid WHERE b.genre = 'crime' AND b.genre = 'poetry'",
            "SELECT name FROM author WHERE aid IN (SELECT aid FROM book WHERE genre IN ('crime', 'poetry'))",
            "SELECT name FROM author WHERE aid IN (SELECT aid FROM book WHERE genre = 'crime')",
            "SELECT a.name FROM author a JOIN book b ON a.aid = b.aid WHERE b.genre IN ('crime', 'poetry') GROUP BY a.aid HAVING count(*) >= 2",
            "SELECT DISTINCT a.name FROM author a JOIN book b ON a.aid=b.aid JOIN book c ON a.aid=c.aid WHERE b.genre='crime' AND c.genre='poetry'",
        ],
        [
            "SELECT a.name FROM author a JOIN book b ON a.aid = b.aid WHERE b.genre IN ('crime', 'poetry') GROUP BY a.aid HAVING count(DISTINCT b.genre) = 2"
        ],
    ),
    (
        BOOKS,
        "SELECT count(*) * 100.0 / (SELECT count(*) FROM book) FROM book WHERE genre = 'crime'",
        [
            "SELECT count(*) * 100 / (SELECT count(*) FROM book) FROM book WHERE genre = 'crime'",
            "SELECT count(*) * 100.0 / (SELECT count(genre) FROM book) FROM book WHERE genre = 'crime'",
            "SELECT round(count(*) * 100.0 / (SELECT count(*) FROM book), 2) FROM book WHERE genre = 'crime'",
            "SELECT count(*) * 1.0 / (SELECT count(*) FROM book) FROM book WHERE genre = 'crime'",
        ],
        ["SELECT 100.0 * sum(CASE WHEN genre = 'crime' THEN 1 ELSE 0 END) / count(*) FROM book"],
    ),
    (
        BOOKS,
        "SELECT title FROM book WHERE published BETWEEN '2010-01-01' AND '2019-12-31' AND pages > 100",
        [
            "SELECT title FROM book WHERE published > '2010-01-01' AND published <= '2019-12-31' AND pages > 100",
            "SELECT title FROM book WHERE published BETWEEN '2010-01-01' AND '2019-12-30' AND pages > 100",
            "SELECT title FROM book WHERE published >= '2010-01-01' AND pages > 100",
            "SELECT title FROM book WHERE published BETWEEN '2010-01-01' AND '2019-12-31'",
        ],
        [
            "SELECT title FROM book WHERE substr(published, 1, 3) = '201' AND pages >= 101",
            "SELECT title FROM book WHERE CAST(strftime('%Y', published) AS INT) BETWEEN 2010 AND 2019 AND pages > 100",
        ],
    ),
    (
        BOOKS,
        "SELECT title FROM book ORDER BY pages DESC, title LIMIT 2",
        [
            "SELECT title FROM book ORDER BY pages DESC, title DESC LIMIT 2",
            "SELECT title FROM book ORDER BY pages DESC LIMIT 3",
            "SELECT title FROM book ORDER BY title LIMIT 2",
            "SELECT title FROM book WHERE pages > 0 ORDER BY pages DESC, title LIMIT 2",
            "SELECT title FROM book ORDER BY pages DESC, bid LIMIT 2",
        ],
        ["SELECT title FROM (SELECT title, pages FROM book ORDER BY 2 DESC, 1 LIMIT 2)"],
    ),
    (
        BOOKS,
        "SELECT genre FROM book GROUP BY genre ORDER BY count(*) DESC LIMIT 1",
        [
            "SELECT genre FROM book GROUP BY genre ORDER BY count(genre) DESC LIMIT 1",
            "SELECT genre FROM book GROUP BY genre ORDER BY count(*) LIMIT 1",
            "SELECT genre FROM book GROUP BY genre ORDER BY sum(pages) DESC LIMIT 1",
            "SELECT genre FROM book WHERE genre IS NOT NULL GROUP BY genre ORDER BY count(*) DESC LIMIT 1",
            "SELECT genre FROM book GROUP BY genre ORDER BY count(DISTINCT title) DESC LIMIT 1",
        ],
        [
            "WITH c AS (SELECT genre, count(bid) n FROM book GROUP BY genre) SELECT genre FROM c WHERE n = (SELECT max(n) FROM c)"
        ],
    ),
    (
        BOOKS,
        "SELECT a.name, b.title FROM author a JOIN book b ON a.aid = b.aid WHERE b.price = (SELECT max(price) FROM book c WHERE c.aid = a.aid)",
        [
            "SELECT a.name, b.title FROM author a JOIN book b ON a.aid = b.aid WHERE b.price = (SELECT max(price) FROM book)",
            "SELECT a.name, b.title FROM author a JOIN book b ON a.aid = b.aid GROUP BY a.aid HAVING b.price = max(b.price)",
            "SELECT a.name, b.title FROM author a JOIN book b ON a.aid = b.aid WHERE b.price = (SELECT min(price) FROM book c WHERE c.aid = a.aid)",
            "SELECT a.name, b.title FROM author a JOIN book b ON a.aid = b.aid WHERE b.pages = (SELECT max(pages) FROM book c WHERE c.aid = a.aid)",
        ],
        [
            "SELECT a.name, b.title FROM author a, book b WHERE a.aid = b.aid AND NOT EXISTS (SELECT 1 FROM book c WHERE c.aid = a.aid AND c.price > b.price) AND b.price IS NOT NULL"
        ],
    ),
    (
        BOOKS,
        "SELECT title FROM book WHERE title LIKE '_e%'",
        [
            "SELECT title FROM book WHERE title LIKE '%e%'",
            "SELECT title FROM book WHERE substr(title, 2, 1) = 'e'",
            "SELECT title FROM book WHERE title LIKE '_e_%'",
            "SELECT title FROM book WHERE title LIKE 'e%'",
        ],
        ["SELECT title FROM book WHERE lower(substr(title, 2, 1)) = 'e'"],
    ),
    (
        BOOKS,
        "SELECT count(DISTINCT aid) FROM book WHERE genre = 'crime' OR pages > 300",
        [
            "SELECT count(aid) FROM book WHERE genre = 'crime' OR pages > 300",
            "SELECT count(DISTINCT aid) FROM book WHERE genre = 'crime' AND pages > 300",
            "SELECT count(DISTINCT aid) FROM book WHERE genre = 'crime' OR pages >= 300",
            "SELECT count(DISTINCT coalesce(aid, 0)) FROM book WHERE genre = 'crime' OR pages > 300",
            "SELECT count(DISTINCT aid) FROM book WHERE pages > 300",
        ],
        [
            "SELECT count(*) FROM (SELECT aid FROM book WHERE genre = 'crime' UNION SELECT aid FROM book WHERE pages > 300) WHERE aid IS NOT NULL"
        ],
    ),
    (
        BOOKS,
        "SELECT strftime('%Y', day), sum(qty) FROM sale GROUP BY strftime('%Y', day) ORDER BY 1",
        [
            "SELECT strftime('%Y', day), sum(qty) FROM sale GROUP BY strftime('%Y', day) ORDER BY 2",
            "SELECT strftime('%Y', day), count(qty) FROM sale GROUP BY strftime('%Y', day) ORDER BY 1",
            "SELECT strftime('%m', day), sum(qty) FROM sale GROUP BY strftime('%m', day) ORDER BY 1",
            "SELECT strftime('%Y', day), sum(qty) FROM sale WHERE qty > 0 GROUP BY 1 ORDER BY 1",
        ],
        ["SELECT substr(day, 1, 4) AS y, sum(qty) FROM sale GROUP BY y ORDER BY y"],
    ),
    (
        BOOKS,
        "SELECT title, CASE WHEN price > 15 THEN 'dear' WHEN price > 8 THEN 'fair' ELSE 'cheap' END FROM book",
        [
            "SELECT title, CASE WHEN price >= 15 THEN 'dear' WHEN price > 8 THEN 'fair' ELSE 'cheap' END FROM book",
            "SELECT title, CASE WHEN price > 15 THEN 'dear' WHEN price >= 8 THEN 'fair' ELSE 'cheap' END FROM book",
            "SELECT title, CASE WHEN price > 15 THEN 'dear' WHEN price > 8 THEN 'fair' WHEN price <= 8 THEN 'cheap' END FROM book",
            "SELECT title, CASE WHEN price > 8 THEN 'fair' WHEN price > 15 THEN 'dear' ELSE 'cheap' END FROM book",
        ],
        ["SELECT title, iif(price > 15, 'dear', iif(price > 8, 'fair', 'cheap')) FROM book"],
    ),
    (
        BOOKS,
        "SELECT name FROM author EXCEPT SELECT a.name FROM author a JOIN book b ON a.aid = b.aid",
        [
            "SELECT name FROM author WHERE aid NOT IN (SELECT aid FROM book)",
            "SELECT name FROM author WHERE aid NOT IN (SELECT aid FROM book WHERE aid IS NOT NULL)",
            "SELECT DISTINCT name FROM author WHERE aid NOT IN (SELECT bid FROM book)",
        ],
        [
            "SELECT DISTINCT name FROM author x WHERE NOT EXISTS (SELECT 1 FROM author a JOIN book b USING (aid) WHERE a.name = x.name)"
        ],
    ),
    (
        BOOKS,
        "SELECT b1.title, b2.title FROM book b1 JOIN book b2 ON b1.genre = b2.genre AND b1.bid < b2.bid",
        [
            "SELECT b1.title, b2.title FROM book b1 JOIN book b2 ON b1.genre = b2.genre AND b1.bid <> b2.bid",
            "SELECT b1.title, b2.title FROM book b1 JOIN book b2 ON b1.genre = b2.genre AND b1.bid <= b2.bid",
            "SELECT b1.title, b2.title FROM book b1 JOIN book b2 ON b1.genre IS b2.genre AND b1.bid < b2.bid",
            "SELECT b1.title, b2.title FROM book b1 JOIN book b2 ON b1.aid = b2.aid AND b1.bid < b2.bid",
            "SELECT b1.title, b2.title FROM book b1 JOIN book b2 ON b1.genre = b2.genre AND b1.title < b2.title",
        ],
        ["SELECT x.title, y.title FROM book y, book x WHERE y.bid > x.bid AND x.genre = y.genre"],
    ),
    (
        BOOKS,
        "SELECT name FROM author WHERE aid = (SELECT aid FROM book ORDER BY pages DESC LIMIT 1)",
        [
            "SELECT name FROM author WHERE aid = (SELECT aid FROM book ORDER BY pages LIMIT 1)",
            "SELECT name FROM author WHERE aid = (SELECT aid FROM book ORDER BY price DESC LIMIT 1)",
            "SELECT a.name FROM author a JOIN book b ON a.aid = b.aid ORDER BY b.pages DESC LIMIT 1",
        ],
        ["SELECT name FROM author WHERE aid IN (SELECT aid FROM book ORDER BY pages DESC LIMIT 1)"],
    ),
    (
        GAMES,
        "SELECT venue FROM game WHERE home = 'essendon' AND crowd > 20000 AND score LIKE '1%'",
        [
            "SELECT venue FROM game WHERE home = 'essendon' AND crowd > 20000",
            "SELECT venue FROM game WHERE away = 'essendon' AND crowd > 20000 AND score LIKE '1%'",
            "SELECT venue FROM game WHERE home = 'essendon' AND crowd >= 20000 AND score LIKE '1%'",
            "SELECT venue FROM game WHERE home LIKE 'essendon' AND crowd > 20000 AND score LIKE '1%'",
            "SELECT venue FROM game WHERE home = 'essendon' AND crowd > 20000 AND score LIKE '%1%'",
            "SELECT date FROM game WHERE home = 'essendon' AND crowd > 20000 AND score LIKE '1%'",
        ],
        ["SELECT venue FROM game WHERE score LIKE '1%' AND crowd > 20000 AND home IN ('essendon')"],
    ),
    (
        GAMES,
        "SELECT MIN(crowd) FROM game WHERE venue = 'mcg' AND date = '3 may 1987'",
        [
            "SELECT MIN(crowd) FROM game WHERE venue = 'mcg'",
            "SELECT MAX(crowd) FROM game WHERE venue = 'mcg' AND date = '3 may 1987'",
            "SELECT crowd FROM game WHERE venue = 'mcg' AND date = '3 may 1987' ORDER BY crowd LIMIT 1",
            "SELECT MIN(crowd) FROM game WHERE venue = 'mcg' OR date = '3 may 1987'",
            "SELECT COUNT(crowd) FROM game WHERE venue = 'mcg' AND date = '3 may 1987'",
            "SELECT SUM(crowd) FROM game WHERE venue = 'mcg' AND date = '3 may 1987'",
        ],
        [],
    ),
    (
        GAMES,
        "SELECT COUNT(DISTINCT home) FROM game WHERE NOT crowd BETWEEN 100 AND 200",
        [
            "SELECT COUNT(home) FROM game WHERE NOT crowd BETWEEN 100 AND 200",
            "SELECT COUNT(DISTINCT home) FROM game WHERE crowd < 100",
            "SELECT COUNT(DISTINCT home) FROM game WHERE crowd <= 100 OR crowd >= 200",
            "SELECT COUNT(DISTINCT home) FROM game WHERE crowd < 100 OR crowd > 200 OR crowd IS NULL",
        ],
        ["SELECT COUNT(DISTINCT home) FROM game WHERE crowd < 100 OR crowd > 200"],
    ),
    (
        BOOKS,
        "SELECT title FROM book WHERE price * pages > 2000",
        [
            "SELECT title FROM book WHERE price * pages >= 2000",
            "SELECT title FROM book WHERE price + pages > 2000",
            "SELECT title FROM book WHERE pages > 2000",
            "SELECT title FROM book WHERE price * pages > 2000 AND pages > 100",
        ],
        ["SELECT title FROM book WHERE pages * price > 2000"],
    ),
    (
        BOOKS,
        "SELECT a.name FROM author a JOIN book b USING (aid) GROUP BY a.aid HAVING count(*) = 2",
        [
            "SELECT a.name FROM author a JOIN book b USING (aid) GROUP BY a.aid HAVING count(*) >= 2",
            "SELECT a.name FROM author a JOIN book b USING (aid) GROUP BY a.aid HAVING count(*) <= 2",
            "SELECT a.name FROM author a JOIN book b USING (aid) GROUP BY a.aid HAVING count(DISTINCT genre) = 2",
        ],
        ["SELECT name FROM author a WHERE (SELECT count(*) FROM book b WHERE b.aid = a.aid) = 2"],
    ),
    (
        BOOKS,
        "SELECT title || ' (' || genre || ')' FROM book",
        [
            "SELECT title || ' (' || coalesce(genre, '') || ')' FROM book",
            "SELECT title || '(' || genre || ')' FROM book",
            "SELECT title || ' (' || genre || ')' FROM book WHERE genre IS NOT NULL",
        ],
        [
            "SELECT printf('%s (%s)', title, genre) FROM book WHERE title IS NOT NULL AND genre IS NOT NULL UNION ALL SELECT NULL FROM book WHERE title IS NULL OR genre IS NULL"
        ],
    ),
    (
        BOOKS,
        "SELECT group_concat(title, ', ') FROM (SELECT title FROM book ORDER BY title)",
        [
            "SELECT group_concat(title) FROM (SELECT title FROM book ORDER BY title)",
            "SELECT group_concat(DISTINCT title) FROM (SELECT title FROM book ORDER BY title)",
        ],
        [],
    ),
    (
        BOOKS,
        "SELECT title FROM book ORDER BY published LIMIT 1 OFFSET 1",
        [
            "SELECT title FROM book ORDER BY published LIMIT 1",
            "SELECT title FROM book ORDER BY published LIMIT 2",
            "SELECT title FROM book ORDER BY published DESC LIMIT 1 OFFSET 1",
        ],
        ["SELECT title FROM book ORDER BY published LIMIT 1, 1"],
    ),
]
