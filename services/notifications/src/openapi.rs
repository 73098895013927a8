//! The service's contract, as its callers read it.

/// OpenAPI 3.1, as JSON.
pub const DOCUMENT: &str = include_str!("../openapi.json");

#[cfg(test)]
mod tests {
    use contracts::close::CloseRequest;
    use contracts::effects::{Effect, Page};
    use contracts::notifications::{CloseAnswer, CustomerEntry, SendAnswer, SendRequest, StoredMessage};
    use testkit::openapi::Document;

    use super::*;
    use crate::routes::routes;

    #[test]
    fn the_document_tells_what_the_service_is() {
        let document = Document::of(DOCUMENT, routes().listed());
        document.request_is::<SendRequest>("POST", "/notifications/send");
        document.answer_is::<SendAnswer>("POST", "/notifications/send");
        document.request_is::<CloseRequest>("POST", "/notifications/close");
        document.answer_is::<CloseAnswer>("POST", "/notifications/close");
        document.answer_is::<Page<StoredMessage>>("GET", "/notifications/outbox");
        document.answer_is::<CustomerEntry>("GET", "/notifications/customers/{id}");
        document.request_is::<CustomerEntry>("PUT", "/notifications/customers/{id}");
        document.answer_is::<CustomerEntry>("PUT", "/notifications/customers/{id}");
        document.answer_is::<Page<Effect>>("GET", "/effects");
    }
}
