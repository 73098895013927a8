//! The service's contract, as its callers read it.

/// OpenAPI 3.1, as JSON.
pub const DOCUMENT: &str = include_str!("../openapi.json");

#[cfg(test)]
mod tests {
    use contracts::close::CloseRequest;
    use contracts::documents::{CloseAnswer, GenerateAnswer, GenerateRequest, Invoice};
    use contracts::effects::{Effect, Page};
    use serde_json::Value;
    use testkit::openapi::Document;
    use time::macros::datetime;

    use super::*;
    use crate::address::{Kind, PublicUrl};
    use crate::credit::Credit;
    use crate::document::papers;
    use crate::request::sale;
    use crate::routes::routes;

    #[test]
    fn the_document_tells_what_the_service_is() {
        let document = Document::of(DOCUMENT, routes().listed());
        document.request_is::<GenerateRequest>("POST", "/documents/generate");
        document.answer_is::<GenerateAnswer>("POST", "/documents/generate");
        document.request_is::<CloseRequest>("POST", "/documents/close");
        document.answer_is::<CloseAnswer>("POST", "/documents/close");
        document.answer_is::<Invoice>("GET", "/documents/{kind}/{id}");
        document.answer_is::<Page<Effect>>("GET", "/effects");
    }
    #[test]
    fn the_examples_answer_each_other() {
        let document: Value = serde_json::from_str(DOCUMENT).unwrap();
        let of = |path: &str, part: &str| {
            let pointer = format!(
                "/paths/{}/post/{part}/content/application~1json/example",
                path.replace('/', "~1")
            );
            document.pointer(&pointer).unwrap().to_string()
        };
        let base: PublicUrl = "https://documents.example.com".parse().unwrap();
        let request: GenerateRequest = serde_json::from_str(&of("/documents/generate", "requestBody")).unwrap();
        let sale = sale(&request).unwrap();
        let papers = papers(&sale, datetime!(2026-04-07 14:32:17 UTC), &base).unwrap();
        let answer: Value = serde_json::from_str(&of("/documents/generate", "responses/200")).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&papers.answer).unwrap(), answer);

        let closed: CloseAnswer = serde_json::from_str(&of("/documents/close", "responses/200")).unwrap();
        let credit = Credit::of(papers.fiscal_id);
        let told = &closed.credit_notes[0];
        assert_eq!(told.cfdi_uuid, credit.invoice.to_string());
        assert_eq!(told.credit_note_url, base.of(Kind::CreditNote, credit.note));
    }
}
