use serde_json::{Value, json};

use super::super::Verifier;
use super::super::tests::{assert_judges, assert_refuses, untagged};
use super::formats::Format;

fn judge() -> Verifier {
    untagged("json_schema", &json!({}))
}

/// Checks values against a schema, the wrong ones first.
fn assert_allows(schema: &Value, wrong: &[&str], right: &[&str]) {
    let schema = schema.to_string();
    let wrong: Vec<_> = wrong.iter().map(|value| (*value, schema.as_str())).collect();
    let right: Vec<_> = right.iter().map(|value| (*value, schema.as_str())).collect();
    assert_judges(&judge(), &wrong, &right);
}

#[test]
fn values_are_of_types_and_in_bounds() {
    let types = [
        ("null", "null"),
        ("boolean", "true"),
        ("number", "0.5"),
        ("string", "\"x\""),
        ("array", "[]"),
        ("object", "{}"),
    ];
    for (name, value) in types {
        for (other, _) in types {
            let passed = judge().judge(value, &json!({ "type": other }).to_string()).unwrap().passed;
            assert_eq!(passed, name == other, "{value} as {other}");
        }
    }
    assert_allows(
        &json!({"type": "integer"}),
        &["1.5", "true", "\"1\"", "1e-1", "nul"],
        &["1", "1.0", "10e-1", "1e400"],
    );
    assert_allows(&json!({"type": ["integer", "null"]}), &["0.5", "\"\""], &["null", "7"]);
    assert_allows(
        &json!({"enum": [1, "a", [null]]}),
        &["2", "\"A\"", "[]", "true"],
        &["1.0", "\"a\"", "[null]"],
    );
    assert_allows(&json!({"const": {"a": 1}}), &["{}", r#"{"a": 1, "b": 1}"#], &[r#"{"a": 1.0}"#]);
    assert_allows(&json!({"multipleOf": 0.1}), &["0.35", "1e-2"], &["0.3", "4", "1e400", "\"x\"", "0"]);
    assert_allows(
        &json!({"minimum": 1, "exclusiveMaximum": 3}),
        &["0.999999999999999999999999", "3", "1e400"],
        &["1", "2.9"],
    );
    assert_allows(
        &json!({"maximum": 9_007_199_254_740_992_u64}),
        &["9007199254740993"],
        &["9007199254740992"],
    );
    assert_allows(
        &json!({"minLength": 2, "maxLength": 3}),
        &[r#""é""#, r#""abcd""#],
        &[r#""éé""#, r#""\ud83d\ude00ab""#, "1"],
    );
    assert_allows(&json!({"pattern": r"^\d{2}$"}), &[r#""1""#, r#""٣٣""#, r#""123""#], &[r#""12""#, "1"]);
    assert_allows(
        &json!({"pattern": r"^\s\S$"}),
        &[r#""a ""#, r#""\u0085a""#],
        &[r#""\ufeffa""#, r#""\u2003a""#],
    );
    assert_allows(&json!(true), &["", "{", "NaN"], &["1", "null"]);
    assert_allows(&json!(false), &["1", "{}"], &[]);
}

#[test]
fn lists_and_objects_hold_what_they_may() {
    assert_allows(&json!({"items": {"type": "integer"}}), &["[1, \"x\"]", "[[1]]"], &["[]", "[1, 2]", "{}"]);
    assert_allows(
        &json!({"prefixItems": [{"type": "string"}], "items": false, "minItems": 1}),
        &["[]", "[1]", "[\"a\", 1]"],
        &["[\"a\"]"],
    );
    assert_allows(
        &json!({"items": [{"type": "string"}], "additionalItems": false}),
        &["[1]", "[\"a\", 1]"],
        &["[\"a\"]", "[]"],
    );
    assert_allows(
        &json!({"contains": {"const": 1}, "maxContains": 1}),
        &["[]", "[2]", "[1, 1.0]"],
        &["[2, 1]"],
    );
    assert_allows(
        &json!({"uniqueItems": true}),
        &["[1, 1.0]", "[{\"a\": 1, \"b\": 2}, {\"b\": 2, \"a\": 1}]"],
        &["[1, true, \"1\", [1], [[1]]]", "[]"],
    );
    assert_allows(
        &json!({"properties": {"a": {"type": "integer"}}, "patternProperties": {"^x": {"type": "null"}},
                "additionalProperties": false, "required": ["a"]}),
        &["{}", r#"{"a": "1"}"#, r#"{"a": 1, "b": 1}"#, r#"{"a": 1, "x1": 1}"#],
        &[r#"{"a": 1, "x": null}"#, "[]"],
    );
    assert_allows(
        &json!({"propertyNames": {"maxLength": 1}, "maxProperties": 2}),
        &[r#"{"ab": 1}"#, r#"{"a":1,"b":1,"c":1}"#],
        &["{}"],
    );
    assert_allows(
        &json!({"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"c": {"required": ["d"]}}}),
        &[r#"{"a": 1}"#, r#"{"c": 1}"#],
        &[r#"{"a": 1, "b": 1}"#, r#"{"c": 1, "d": 1}"#, "{}"],
    );
}

#[test]
fn schemas_are_combined_and_refer_to_each_other() {
    assert_allows(&json!({"anyOf": [{"type": "string"}, {"minimum": 3}]}), &["2"], &["3", "\"\""]);
    assert_allows(&json!({"oneOf": [{"multipleOf": 2}, {"multipleOf": 3}]}), &["6", "1"], &["2", "9"]);
    assert_allows(
        &json!({"allOf": [{"minimum": 1}, {"maximum": 2}], "not": {"const": 2}}),
        &["0", "2", "3"],
        &["1"],
    );
    assert_allows(
        &json!({"if": {"type": "string"}, "then": {"minLength": 2}, "else": {"type": "null"}}),
        &["\"a\"", "1"],
        &["\"ab\"", "null"],
    );
    let tree = json!({"$defs": {"node": {"type": "object", "required": ["v"], "additionalProperties": false,
        "properties": {"v": {"type": "integer"}, "kids": {"type": "array", "items": {"$ref": "#/$defs/node"}}}}},
        "$ref": "#/$defs/node"});
    assert_allows(
        &tree,
        &[r#"{"v": 1, "kids": [{"v": "x"}]}"#, "{}"],
        &[r#"{"v": 1, "kids": [{"v": 2, "kids": []}]}"#],
    );
    assert_allows(
        &json!({"$id": "http://x/y", "items": {"$ref": "http://x/y#n"}, "$defs": {"a/b": {"$anchor": "n", "type": "null"}}}),
        &["[1]"],
        &["[null]"],
    );
    assert_allows(
        &json!({"items": {"$ref": "#/$defs/a~1b%25"}, "$defs": {"a/b%": {"type": "null"}}}),
        &["[1]"],
        &["[null]"],
    );
    assert_allows(
        &json!({"allOf": [{"properties": {"a": true}}], "anyOf": [{"properties": {"b": {"const": 1}}}, true],
                "unevaluatedProperties": false}),
        &[r#"{"a": 1, "c": 1}"#, r#"{"b": 2}"#],
        &[r#"{"a": 1, "b": 1}"#],
    );
    assert_allows(
        &json!({"prefixItems": [true], "contains": {"const": 5}, "unevaluatedItems": {"type": "null"}}),
        &["[1, 2, 5]", "[1]"],
        &["[1, 5, null, 5]"],
    );
    // Up to draft 7, everything next to a reference is ignored.
    let old = json!({"$schema": "http://json-schema.org/draft-07/schema#", "items": {"$ref": "#/definitions/n", "maximum": 1},
        "definitions": {"n": {"type": "integer"}}});
    assert_allows(&old, &["[\"x\"]"], &["[2]"]);
}

#[test]
fn formats_are_checked_unless_told_otherwise() {
    for (format, wrong, right) in [
        (
            "date",
            &["2023-02-29", "2023-2-1", "2023-13-01", "20230101", "2023-01-01x"][..],
            &["2024-02-29", "1900-12-31"][..],
        ),
        (
            "time",
            &["12:00:00", "24:00:00Z", "12:60:00Z", "12:00:60Z", "12:00:00.Z"],
            &["12:00:00Z", "23:59:60Z", "01:29:60+01:30", "12:00:00.5-08:00"],
        ),
        (
            "date-time",
            &["2023-01-01", "2023-01-01T12:00:00", "é023-01-01T12:00:00Z"],
            &["2023-01-01T12:00:00Z", "2023-01-01t12:00:00.1+02:00"],
        ),
        (
            "duration",
            &["P", "P1", "PT", "P1YT", "PT1D", "P1D2H", "P2D1Y", "P1Y2W", "PW", "P1Y1D"],
            &["P1Y2M3D", "PT36H", "P4W", "P1DT12H", "PT1M5S"],
        ),
        (
            "email",
            &["a", "@b.c", "a@", "a..b@c.de", ".a@b", "a b@c.de", "a@b_c"],
            &["a.b+c@d.ef", "\"a b\"@c.de", "a@[127.0.0.1]"],
        ),
        ("hostname", &["", "-a", "a-", "a..b", "a_b", "é.de"], &["a", "xn--nxasmq6b", "a-b.c1"]),
        ("ipv4", &["1.2.3", "256.1.1.1", "01.2.3.4", "1.2.3.4/8"], &["127.0.0.1"]),
        ("ipv6", &["::1::", "12345::", "1:2"], &["::1", "1::d6:192.168.0.1"]),
        (
            "uri",
            &["//x", "x", "a b:c", "http://x/%zz", "1:x", ""],
            &["http://x/y?z#w", "urn:a:b", "mailto:a@b"],
        ),
        ("uri-reference", &["a b", "\\x", "#a#b"], &["/a", "", "#x"]),
        (
            "uuid",
            &["2eb8aa08aa9811eab4aa73b441d16380", "2eb8aa08-aa98-11ea-b4aa73b441d16380-"],
            &["2EB8AA08-AA98-11EA-B4AA-73B441D16380"],
        ),
        ("json-pointer", &["a", "/~", "/~2"], &["", "/a~0~1", "/"]),
        ("regex", &["(", "a**{"], &["a+", "[a-z]{2}"]),
    ] {
        let schema = json!({ "format": format }).to_string();
        let quoted = |value: &&str| json!(value).to_string();
        for value in wrong {
            assert!(!judge().judge(&quoted(value), &schema).unwrap().passed, "{format}: {value}");
        }
        for value in right {
            assert!(judge().judge(&quoted(value), &schema).unwrap().passed, "{format}: {value}");
        }
        let lax = untagged("json_schema", &json!({"formats": false}));
        assert!(lax.judge(&quoted(&wrong[0]), &schema).unwrap().passed);
    }
    assert_eq!(Format::ALL.len(), 13);
    assert_allows(&json!({"format": "int32"}), &["x"], &["\"x\""]);
}

#[test]
fn reasons_name_the_place() {
    let schema =
        json!({"items": {"properties": {"n": {"type": "integer", "maximum": 3}}, "required": ["n"]}});
    for (value, told) in [
        ("[{\"n\": \"x\"}]", "`/0/n` is \"x\", but must be of type integer"),
        ("[{\"n\": 1}, {\"n\": 4}]", "`/1/n` is 4, but must be at most 3"),
        ("[{\"n\": \"a\\\"b\"}]", "`/0/n` is \"a\\\"b\", but must be of type integer"),
        ("[{}]", "`/0` is an object of 0, but must have the property `n`"),
    ] {
        let verdict = judge().judge(value, &schema.to_string()).unwrap();
        assert_eq!((verdict.detail.as_str(), verdict.failures[0]), (told, "constraint_violated"));
    }
    assert_eq!(judge().judge("[", "{}").unwrap().failures, ["malformed_answer"]);
    assert_eq!(judge().judge("2", r#"{"enum": [1]}"#).unwrap().detail, "the answer is 2, but must be 1");
}

#[test]
fn a_schema_that_is_none_is_the_callers_error() {
    let deep = "{\"not\":".repeat(80) + "true" + &"}".repeat(80);
    assert_refuses(
        &judge(),
        &[
            "",
            "1",
            "{\"type\": 1}",
            "{\"type\": \"int\"}",
            "{\"required\": \"a\"}",
            "{\"multipleOf\": 0}",
            "{\"minLength\": -1}",
            "{\"minLength\": 1.5}",
            "{\"pattern\": \"(\"}",
            r#"{"pattern": "(?=a)"}"#,
            r#"{"pattern": "(a)\\1"}"#,
            r#"{"pattern": "(((a{100}){100}){100})"}"#,
            r##"{"$ref": "#"}"##,
            r##"{"anyOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"not": {"$ref": "#/$defs/a"}}}}"##,
            r#"{"$ref": "http://json-schema.org/schema"}"#,
            r#"{"$ref": "file:///etc/passwd"}"#,
            r#"{"$ref": "/etc/passwd"}"#,
            r##"{"$ref": "#/$defs/none"}"##,
            r##"{"$ref": "#none"}"##,
            r##"{"$dynamicRef": "#x"}"##,
            r#"{"not": {"$id": "x"}}"#,
            r#"{"items": 3}"#,
            r#"{"properties": []}"#,
            r#"{"enum": 3}"#,
            &deep,
            &"[".repeat(5_000),
        ],
    );
    let error = |schema: Value| {
        Verifier::new("json_schema", json!({ "schema": schema }).as_object().unwrap())
            .unwrap_err()
            .to_string()
    };
    assert!(error(json!({"type": "int"})).starts_with("json_schema: `schema` must have a type"));
    let fixed = untagged("json_schema", &json!({"schema": {"type": "integer"}}));
    assert!(fixed.judge("1", "whatever").unwrap().passed && !fixed.judge("\"1\"", "").unwrap().passed);
    assert_eq!(fixed.options()["schema"], json!({"type": "integer"}));
}

#[test]
fn hostile_texts_take_counted_steps() {
    let both = json!({"type": "array", "items": {"$ref": "#"}, "minItems": 1});
    let tree = json!({"$defs": {"n": {"anyOf": [both, both]}}, "$ref": "#/$defs/n"}).to_string();
    let tree = tree.replace("\"#\"", "\"#/$defs/n\"");
    let unique = json!({"uniqueItems": true, "contains": {"pattern": "(a*)*b"}}).to_string();
    let any = json!({"additionalProperties": {"$ref": "#"}, "items": {"$ref": "#"}, "unevaluatedProperties": false}).to_string();
    let pattern = json!({"items": {"pattern": "^(([a-z])+.)+[A-Z]([a-z])+$"}}).to_string();
    let nested = |depth: usize| "[".repeat(depth) + "1" + &"]".repeat(depth);
    let objects = "{\"a\":".repeat(900) + "1" + &"}".repeat(900);
    for schema in [&tree, &unique, &any, &pattern] {
        for text in [
            nested(40),
            nested(390),
            nested(999),
            nested(60_000),
            objects.clone(),
            format!("[{}1]", "1,".repeat(30_000)),
            format!("[\"{}\"]", "a".repeat(60_000)),
            format!("[{}\"\"]", "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\",".repeat(1_700)),
            format!("[1e{}]", "9".repeat(60_000)),
            "9".repeat(60_000),
            format!("[{}1]", "1e99999999,".repeat(5_000)),
        ] {
            judge().judge(&text, schema).unwrap();
        }
    }
    assert_eq!(judge().judge(&nested(40), &tree).unwrap().failures, ["over_budget"]);
    assert_eq!(judge().judge(&nested(900), &any).unwrap().failures, ["over_budget"]);
    let steps = json!({"multipleOf": 1e-300, "maximum": 5}).to_string();
    for number in ["1e99999999999999999999", "1e-99999999999999999999", "0.1"] {
        judge().judge(number, &steps).unwrap();
    }
}
