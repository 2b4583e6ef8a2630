use serde_json::{Value, json};

use super::super::Verifier;
use super::super::tests::{assert_judges, assert_refuses, untagged};

const CSV: &str = "city,n\nRome,3\nParis,2.5\nRome,3\n";

fn judge(options: &Value) -> Verifier {
    untagged("table_equal", options)
}

fn detail(options: &Value, answer: &str, reference: &str) -> String {
    judge(options).judge(answer, reference).unwrap().detail
}

#[test]
fn what_database_shells_print_is_read() {
    let reference = "city,n\nRome,3\nOslo,\n";
    assert_judges(
        &judge(&json!({})),
        &[
            (" city | n \n------+---\n Rome | 3\n Oslo | 4\n(2 rows)", reference),
            (" city | n \n------+---\n Rome | 3\n(1 row)", reference),
            ("city|n\nRome|4\nOslo|\n(2 rows)", reference),
            ("-[ RECORD 1 ]\ncity | Rome\nn    | 3", reference),
            ("-[ RECORD 1 ]\ncity | Rome\nn    | 3\n-[ RECORD 2 ]\nn | \ncity | Oslo", reference),
            ("-[ RECORD 1 ]\ncity Rome", reference),
            ("(0 rows)", reference),
            (" city | n \n------+---\n(0 rows)", reference),
            (" n \n---\n 3\n(1 row)", "n\n4"),
        ],
        &[
            (" city | n \n------+---\n Rome | 3\n Oslo |  \n(2 rows)\n", reference),
            (" n | city \n---+------\n 3 | Rome\n   | Oslo\n(2 rows)\n\nTime: 0.512 ms", reference),
            ("city|n\nRome|3\nOslo|\n(2 rows)", reference),
            ("city|n\nRome|3\nOslo|", reference),
            ("-[ RECORD 1 ]---\ncity | Rome\nn    | 3\n-[ RECORD 2 ]---\ncity | Oslo\nn    | ", reference),
            (
                "*** 1. row ***\ncity: Rome\n   n: 3\n*** 2. row ***\ncity: Oslo\n   n: NULL\n2 rows in set (0.00 sec)",
                reference,
            ),
            (
                "+------+------+\n| city | n    |\n+------+------+\n| Rome |    3 |\n| Oslo | NULL |\n+------+------+\n2 rows in set",
                reference,
            ),
            (
                "┌──────┬──────┐\n│ city │  n   │\n├──────┼──────┤\n│ Rome │ 3    │\n│ Oslo │ NULL │\n└──────┴──────┘",
                reference,
            ),
            (" n \n---\n 3\n(1 row)", "n\n3"),
            ("n\n3\n(1 row)", "n\n3"),
            (" city | n \n------+---\n(0 rows)", "city,n"),
            ("(0 rows)", "[]"),
            ("a | b\n--|--\n| 1 | 2 |", "a,b\n1,2"),
        ],
    );
}

#[test]
fn wrong_tables_fail_and_equal_ones_pass_however_they_are_written() {
    assert_judges(
        &judge(&json!({})),
        &[
            ("", CSV),
            ("Rome", CSV),
            ("city,n", CSV),
            ("city,n\nRome,3\nParis,2.5", CSV),
            ("city,n\nRome,3\nParis,2.5\nParis,2.5", CSV),
            ("city,n\nRome,3\nParis,2.5\nRome,3\nRome,3", CSV),
            ("city,n\nRome,3\nParis,2.5\nRome,3\nLondon,1", CSV),
            ("city,n\nRome,2.5\nParis,3\nRome,3", CSV),
            ("city,n\nRome,3\nParis,2.50000001\nRome,3", CSV),
            ("city,m\nRome,3\nParis,2.5\nRome,3", CSV),
            ("city,n,m\nRome,3,1\nParis,2.5,1\nRome,3,1", CSV),
            ("city\nRome\nParis\nRome", CSV),
            ("n,city\nRome,3\nParis,2.5\nRome,3", CSV),
            ("Rome,3\nParis,2.5\nRome,3", CSV),
            ("city,n\nrome,3\nParis,2.5\nRome,3", CSV),
            ("city,n\nRome,3\nParis,2.5\nRome,", CSV),
            ("city,n\nRome,3\nParis,2.5\nRome", CSV),
            ("city,n\nRome,3\nParis,2.5\n\"Rome,3", CSV),
            ("city,n\nRome,3\nParis,2.5\n\"Rome\"!,3", CSV),
            ("city,city\nRome,3\nParis,2.5\nRome,3", CSV),
            ("so\ncity,n\nRome,3\nParis,2.5\nRome,3", CSV),
            ("| city | n |\n| Rome | 3 |", "city,n\nRome,3"),
            ("| city | n |\n|---|---|\n| Rome | 3 |\nthat is all", "city,n\nRome,3"),
            (r#"[{"city": "Rome", "n": [3]}]"#, "city,n\nRome,3"),
            (r#"[{"city": "Rome", "n": 3}, 7]"#, "city,n\nRome,3"),
            (r#"[["Rome", 3]]"#, "city,n\nRome,3"),
            (r#"[[1, 2], ["Rome", 3]]"#, "city,n\nRome,3"),
            (r#"{"city": "Rome", "n": 3"#, "city,n\nRome,3"),
            ("[]", "city,n\nRome,3"),
            ("[1]", "city,n\nRome,3"),
            ("a\n0", "a\nfalse"),
            ("a\n1", "a\ntrue"),
            ("a,b\n,1", "a,b\n0,1"),
            ("zip\n501", "zip\n00501"),
            ("id\n1/2", "id\n0.5"),
        ],
        &[
            (CSV, CSV),
            ("n,city\r\n3.0,Rome\r\n3,Rome\r\n2.5,Paris\r\n", CSV),
            ("city,n\n\"Rome\", \"3\"\n Paris , 25e-1\n\nRome,3", CSV),
            ("city\tn\nRome\t3\nParis\t2.5\nRome\t3", CSV),
            ("| city | n |\n|:--|--:|\n| Rome | 3 |\n| Paris | 2.50 |\n| Rome | 3 |", CSV),
            (" city  | n\n-------+---\n Rome | 3\n Paris | 2.5\n Rome | 3", CSV),
            (
                "+------+-----+\n| city | n |\n+------+-----+\n| Rome | 3 |\n| Paris | 2.5 |\n| Rome | 3 |\n+---+",
                CSV,
            ),
            (r#"[{"n": 3, "city": "Rome"}, {"city": "Rome", "n": "3"}, {"city": "Paris", "n": 2.5}]"#, CSV),
            (r#"[["n", "city"], [3, "Rome"], [3, "Rome"], [2.5, "Paris"]]"#, CSV),
            (
                "{\"n\": 3, \"city\": \"Rome\"}\n{\"n\": 3, \"city\": \"Rome\"}\n{\"n\": 2.5, \"city\": \"Paris\"}",
                CSV,
            ),
            ("```csv\ncity,n\nRome,3\nParis,2.5\nRome,3\n```", CSV),
            ("a,b\n\"x, \"\"y\"\"\nz\",1", r#"[{"a": "x, \"y\"\nz", "b": 1}]"#),
            ("| a |\n|---|\n| x\\|y |", "a\nx|y"),
            ("| a | b |\n|---|---|\n| - | - |\n| - | - |", "a,b\n-,-\n-,-"),
            ("a,b\nNULL,True", r#"[{"a": null, "b": true}]"#),
            ("a,b\n1,\nNone,2", r#"[{"a": 1}, {"b": 2}]"#),
            ("city,n", "[]"),
            ("[]", "city,n"),
            ("a\n1e99999999999999999999", "a\n10e99999999999999999998"),
        ],
    );
    let missing = judge(&json!({})).judge("city,n\nRome,3\nParis,2.5", CSV).unwrap();
    assert!(
        (missing.score - 0.8).abs() < 1e-6 && missing.parts == [("columns", 1.0), ("rows", missing.score)]
    );
    assert_refuses(
        &judge(&json!({})),
        &["", "a,b\n1", "a,a\n1,2", "[1]", "[[1], [2]]", r#"[{"a": {}}]"#, "| a |\n| 1 |", "a\n\"x", "[{]"],
    );
}

#[test]
fn a_reason_names_row_and_column() {
    let all = json!({});
    let reference = "city,n,m\nRome,3,1\nParis,2,1";
    for (answer, told) in [
        ("city,n,m\nRome,3,1\nParis,4,1", "row 2, column `n`: `4` is not `2`"),
        ("m,n,city\n1,3,Rome\n1,2,Pari", "row 2, column `city`: `Pari` is not `Paris`"),
        ("city,n,m\nRome,3,1\nParis,,1", "row 2, column `n`: NULL is not `2`"),
        ("city,n,m\nRome,3,1\nx,4,5", "row 2 (`x, 4, 5`) is none of the rows that are left"),
        ("city,n,m\nRome,3,1", "1 of 2 rows are missing, `Paris, 2, 1` among them"),
        ("city,n,m\nRome,3,1\nRome,3,1\nParis,2,1", "row 2 (`Rome, 3, 1`) is none of the rows that are left"),
        ("city,n\nRome,3", "the column `m` is missing"),
        ("city,n,m,k\nRome,3,1,1", "the column `k` is one too many"),
        ("city,n,m\nRome,3", "row 1 has 2 cells, but the names are 3"),
    ] {
        assert_eq!(detail(&all, answer, reference), told);
    }
    let ordered = json!({"row_order": true});
    assert_eq!(detail(&ordered, "n\n2\n1", "n\n1\n2"), "row 1, column `n`: `2` is not `1`");
    assert_eq!(detail(&ordered, "n\n1", "n\n1\n2"), "there are 1 rows, not 2");
    assert_eq!(detail(&json!({"columns": "no_header"}), "1,2", "1,3"), "row 1, column 2: `2` is not `3`");
}

#[test]
fn order_names_types_and_case_count_as_asked() {
    assert_judges(
        &judge(&json!({"row_order": true})),
        &[("n\n2\n1", "n\n1\n2"), ("n\n1\n1\n2", "n\n1\n2")],
        &[("n,m\n1,a\n2,b", "m,n\na,1\nb,2")],
    );
    assert_judges(
        &judge(&json!({"columns": "in_order"})),
        &[("m,n\n1,2", "n,m\n2,1")],
        &[("n,m\n3,4\n2,1", "n,m\n2,1\n3,4"), (r#"[{"m": 1, "n": 2}]"#, "n,m\n2,1")],
    );
    assert_judges(
        &judge(&json!({"columns": "by_place"})),
        &[("x,y\n1,2", "n,m\n2,1"), ("x\n1", "n,m\n1,2"), (r#"[{"n": 2, "m": 1}]"#, "n,m\n2,1")],
        &[("x,x\n2,1", "n,m\n2,1")],
    );
    assert_judges(
        &judge(&json!({"columns": "no_header"})),
        &[("n\n1", "1"), ("2\n1\n1", "1\n2")],
        &[("2,x\n1,y", "1,y\n2,x"), ("[[1, \"y\"]]", "1,y")],
    );
    assert_judges(
        &judge(&json!({"typed": true})),
        &[
            (r#"[{"a": "1"}]"#, r#"[{"a": 1}]"#),
            ("a\n\"1\"", "a\n1"),
            (r#"[{"a": ""}]"#, r#"[{"a": null}]"#),
            (r#"[{"a": "true"}]"#, r#"[{"a": true}]"#),
        ],
        &[("a\n1", r#"[{"a": 1.0}]"#), ("a\n\"1\"", r#"[{"a": "1"}]"#)],
    );
    assert_judges(
        &judge(&json!({"ignore_case": true, "delimiter": ";"})),
        &[("City;n\nROME;4", "city;n\nrome;3"), ("City,n\nROME,3", "city;n\nrome;3")],
        &[("City;N\nROME;3", "city;n\nrome;3")],
    );
    assert_judges(
        &judge(&json!({"format": "markdown"})),
        &[("a,b\n1,2", "a,b\n1,2")],
        &[("a|b\n-|-\n1|2", "a,b\n1,2")],
    );
    for delimiter in ["", ",,", "\"", "\n"] {
        let options = json!({ "delimiter": delimiter });
        let error = Verifier::new("table_equal", options.as_object().unwrap()).unwrap_err();
        assert!(error.to_string().contains("`delimiter` is"), "{error}");
    }
}

#[test]
fn rows_that_are_near_find_the_one_pairing_there_is() {
    let near = judge(&json!({"tolerance": 0.1}));
    assert_judges(
        &near,
        &[
            ("n\n1.1000000000000000000001", "n\n1"),
            ("n\n1\n1", "n\n1\n1.2"),
            ("n,m\n1,5\n2,6", "n,m\n1,6\n2,5"),
            ("n,s\n1.05,x", "n,s\n1,y"),
            ("n\n1e400", "n\n2e400"),
            ("n\nNULL", "n\n0"),
        ],
        &[
            ("n\n1.1\n0.9", "n\n1\n1"),
            ("n\n0.9\n1.0\n1.1", "n\n1.2\n0.8\n1.0"),
            // Pairing each with its nearest partner would leave one over.
            ("n,m\n0,0\n0.1,0.1", "n,m\n0.1,0\n0.1,0.2"),
            ("n,m\n0.05,1\n0,1", "n,m\n0.1,1\n-0.05,1"),
            ("n,s\n1.05,x\n2,y", "n,s\n2.1,y\n1,x"),
            ("n\n1e400", "n\n1e400"),
        ],
    );
    assert!((near.judge("n\n1\n2", "n\n1\n3").unwrap().score - 0.5).abs() < 1e-6);
    let huge = judge(&json!({"tolerance": 1e308}));
    assert_judges(
        &huge,
        &[("n\n1e309", "n\n1")],
        &[("n\n1.8e308", "n\n1.79e308"), ("n\n-4e307", "n\n4e307")],
    );
}

#[test]
fn long_tables_are_judged_in_counted_steps() {
    let table = |rows: &mut dyn Iterator<Item = usize>| {
        "year,n\n".to_owned() + &rows.map(|n| format!("2020,{n}.25\n")).collect::<Vec<_>>().concat()
    };
    let reference = table(&mut (0..4_000));
    let turned = table(&mut (0..4_000).rev());
    let other = table(&mut (0..4_000).map(|n| n + usize::from(n == 3_999)));
    for tolerance in [0.0, 0.1] {
        assert_judges(
            &judge(&json!({ "tolerance": tolerance })),
            &[(&other, &reference)],
            &[(&turned, &reference)],
        );
    }
    // Each row is near every other, or looks so to floats: the work is given up.
    let alike = "n\n".to_owned() + &"1.000000000000000000000001\n".repeat(2_000);
    let odd = "n\n".to_owned() + &"1.000000000000000000000003\n".repeat(2_000);
    let verdict = judge(&json!({"tolerance": 1e-24})).judge(&odd, &alike).unwrap();
    assert!(!verdict.passed && verdict.failures.len() == 1);
    let wide = format!("[{}]", (0..4_000).map(|n| format!("{{\"{n}\":1}}")).collect::<Vec<_>>().join(","));
    assert_eq!(judge(&json!({})).judge(&wide, "a\n1").unwrap().failures, ["over_budget"]);
    for odd in
        ["|".repeat(60_000), "\"".repeat(60_000), ",".repeat(60_000), "-|".repeat(30_000), "[".repeat(60_000)]
    {
        assert!(!judge(&json!({})).judge(&odd, "a\n1").unwrap().passed);
        assert!(!judge(&json!({})).judge(&format!("a\n{odd}"), "a\n1").unwrap().passed);
    }
}
