//! Holds a service's OpenAPI document against what the service is.

use std::collections::BTreeSet;

use axum::http::Method;
use contracts::problem::{self, Kind, Problem};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

const JSON: &str = "application/json";

/// Routes that anybody may call; they have no body and no problem of their own.
const OPEN: [&str; 3] = ["/health/live", "/health/ready", "/openapi.json"];

/// A service's OpenAPI document.
pub struct Document(Value);

impl Document {
    /// Reads it, and checks that it describes just `routes`, that each operation has the answers that any of its kind
    /// has, that every reference leads somewhere, that every string, number and list has bounds, and that every problem
    /// is one that we know.
    ///
    /// # Panics
    ///
    /// Names everything that is wrong.
    #[must_use]
    pub fn of(text: &str, routes: &[(Method, &'static str)]) -> Self {
        let document = Self(serde_json::from_str(text).expect("the document is JSON"));
        let mut wrong = vec![];
        if !document.0["openapi"]
            .as_str()
            .is_some_and(|version| version.starts_with("3.1."))
        {
            wrong.push("openapi: is not 3.1".to_owned());
        }
        let reachable: BTreeSet<_> = routes
            .iter()
            .map(|(method, path)| named(method.as_str(), path))
            .collect();
        let described: BTreeSet<_> = document
            .operations()
            .map(|(method, path, _)| named(method, path))
            .collect();
        wrong.extend(
            reachable
                .difference(&described)
                .map(|route| format!("{route}: routed, not described")),
        );
        wrong.extend(
            described
                .difference(&reachable)
                .map(|route| format!("{route}: described, not routed")),
        );
        for (method, path, operation) in document.operations() {
            let lacks = document.lacks(method, path, operation);
            wrong.extend(lacks.into_iter().map(|what| format!("{}: {what}", named(method, path))));
        }
        document.walk("", &document.0, &mut wrong);
        assert!(wrong.is_empty(), "openapi.json:\n  {}", wrong.join("\n  "));
        document
    }

    /// The example request of an operation reads as a `T` that says all that the example says.
    ///
    /// # Panics
    ///
    /// When it does not.
    pub fn request_is<T: Serialize + DeserializeOwned>(&self, method: &str, path: &str) {
        let body = self.resolve(&self.operation(method, path)["requestBody"]);
        survives::<T>(
            &format!("the request of {}", named(method, path)),
            &body["content"][JSON]["example"],
        );
    }

    /// The example answer (200) of an operation reads as a `T` that says all that the example says.
    ///
    /// # Panics
    ///
    /// When it does not.
    pub fn answer_is<T: Serialize + DeserializeOwned>(&self, method: &str, path: &str) {
        let answer = self.resolve(&self.operation(method, path)["responses"]["200"]);
        survives::<T>(
            &format!("the answer of {}", named(method, path)),
            &answer["content"][JSON]["example"],
        );
    }

    fn operation(&self, method: &str, path: &str) -> &Value {
        &self.0["paths"][path][method.to_lowercase()]
    }

    fn operations(&self) -> impl Iterator<Item = (&str, &str, &Value)> {
        let paths = self.0["paths"].as_object().into_iter().flatten();
        paths.flat_map(|(path, item)| {
            let item = item.as_object().into_iter().flatten();
            item.map(|(method, operation)| (method.as_str(), path.as_str(), operation))
        })
    }

    /// What an operation should have and has not.
    fn lacks(&self, method: &str, path: &str, operation: &Value) -> Vec<String> {
        let mut lacks = vec![];
        let reads = matches!(method, "post" | "put");
        for name in ["operationId", "summary"] {
            if !operation[name].is_string() {
                lacks.push(format!("no {name}"));
            }
        }
        let answers = &operation["responses"];
        let mut codes = vec![if answers["202"].is_null() { "200" } else { "202" }];
        if !OPEN.contains(&path) {
            codes.extend(["401", "405", "500"]);
        }
        if reads {
            codes.extend(["400", "413", "422", "503"]);
            let body = self.resolve(&operation["requestBody"]);
            if body["content"][JSON]["example"].is_null() {
                lacks.push("no example of a request".to_owned());
            }
        }
        lacks.extend(
            codes
                .iter()
                .filter(|code| answers[*code].is_null())
                .map(|code| format!("no answer {code}")),
        );
        for (code, answer) in answers.as_object().into_iter().flatten() {
            lacks.extend(self.unlike(path, code, self.resolve(answer)));
        }
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let parameters: Vec<_> = parameters.map(|parameter| self.resolve(parameter)).collect();
        for name in path
            .split('/')
            .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
        {
            if !parameters
                .iter()
                .any(|known| known["name"] == name && known["in"] == "path")
            {
                lacks.push(format!("no parameter {name}"));
            }
        }
        lacks
    }

    /// What an answer is not.
    fn unlike(&self, path: &str, code: &str, answer: &Value) -> Option<String> {
        let content = &answer["content"];
        if code.starts_with('2') || OPEN.contains(&path) {
            return content[JSON]["schema"]
                .is_null()
                .then(|| format!("no schema of answer {code}"));
        }
        let examples = content[problem::CONTENT_TYPE]["examples"].as_object();
        let Some(examples) = examples.filter(|examples| !examples.is_empty()) else {
            return Some(format!("no examples of the problems of answer {code}"));
        };
        let strange = examples.iter().find(|(_, example)| {
            let read = serde_json::from_value::<Problem>(self.resolve(example)["value"].clone());
            !read.is_ok_and(|problem| {
                Kind::of_uri(&problem.kind).is_some_and(|kind| {
                    let same = kind.problem(problem.detail.clone());
                    same.title == problem.title && same.status == problem.status && problem.status.to_string() == code
                })
            })
        });
        strange.map(|(name, _)| format!("answer {code}: {name} is no problem of ours with this status"))
    }

    fn resolve<'a>(&'a self, value: &'a Value) -> &'a Value {
        let target = value["$ref"]
            .as_str()
            .and_then(|target| self.0.pointer(target.strip_prefix('#')?));
        target.unwrap_or(value)
    }

    /// References that lead nowhere and types without bounds, anywhere below `value`.
    fn walk(&self, at: &str, value: &Value, wrong: &mut Vec<String>) {
        match value {
            Value::Object(members) => {
                if let Some(target) = value["$ref"].as_str()
                    && std::ptr::eq(self.resolve(value), value)
                {
                    wrong.push(format!("{at}: {target} is not there"));
                }
                if !at.ends_with("/example") && !at.ends_with("/value") {
                    wrong.extend(unbounded(value).map(|kind| format!("{at}: a {kind} without bounds")));
                    members
                        .iter()
                        .for_each(|(name, below)| self.walk(&format!("{at}/{name}"), below, wrong));
                }
            }
            Value::Array(elements) => {
                elements
                    .iter()
                    .enumerate()
                    .for_each(|(place, below)| self.walk(&format!("{at}/{place}"), below, wrong));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

fn named(method: &str, path: &str) -> String {
    format!("{} {path}", method.to_uppercase())
}

/// The type that a schema names without saying how large a value may be.
fn unbounded(schema: &Value) -> Option<&str> {
    let kinds = &schema["type"];
    let kind = kinds.as_str().or_else(|| kinds.get(0)?.as_str())?;
    let has = |names: &[&str]| names.iter().any(|name| !schema[*name].is_null());
    let bounded = match kind {
        "string" => has(&["maxLength", "enum", "const", "format"]),
        "integer" | "number" => has(&["maximum", "enum", "const"]) && has(&["minimum", "enum", "const"]),
        "array" => has(&["maxItems"]),
        _ => true,
    };
    (!bounded).then_some(kind)
}

/// Through text, since money keeps its digits only there.
fn survives<T: Serialize + DeserializeOwned>(what: &str, example: &Value) {
    let read: T = serde_json::from_str(&example.to_string()).unwrap_or_else(|error| panic!("{what}: {error}"));
    let written = serde_json::to_string(&read).expect("what was read can be written");
    let written: Value = serde_json::from_str(&written).expect("JSON");
    assert_eq!(written, *example, "{what}");
}
