//! The service's contract, as its callers read it.

/// OpenAPI 3.1, as JSON.
pub const DOCUMENT: &str = include_str!("../openapi.json");

#[cfg(test)]
mod tests {
    use contracts::documents::{GenerateAnswer, GenerateRequest, Invoice};
    use contracts::effects::{Effect, Page};
    use testkit::openapi::Document;

    use super::*;
    use crate::routes::routes;

    #[test]
    fn the_document_tells_what_the_service_is() {
        let document = Document::of(DOCUMENT, routes().listed());
        document.request_is::<GenerateRequest>("POST", "/documents/generate");
        document.answer_is::<GenerateAnswer>("POST", "/documents/generate");
        document.answer_is::<Invoice>("GET", "/documents/{kind}/{id}");
        document.answer_is::<Page<Effect>>("GET", "/effects");
    }
}
