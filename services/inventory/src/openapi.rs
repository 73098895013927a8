//! The service's contract, as its callers read it.

/// OpenAPI 3.1, as JSON.
pub const DOCUMENT: &str = include_str!("../openapi.json");

#[cfg(test)]
mod tests {
    use contracts::close::CloseRequest;
    use contracts::effects::{Effect, Page};
    use contracts::inventory::{
        CheckAnswer, CheckRequest, CheckedLine, CloseAnswer, CommitAnswer, CommitRequest, DeliveryAnswer, Movement,
        ReserveAnswer, ReserveRequest, StockDelivery, StockRow,
    };
    use testkit::openapi::Document;

    use super::*;
    use crate::routes::routes;

    #[test]
    fn the_document_tells_what_the_service_is() {
        let document = Document::of(DOCUMENT, routes().listed());
        document.request_is::<CheckRequest>("POST", "/inventory/check");
        document.answer_is::<CheckAnswer>("POST", "/inventory/check");
        document.answer_is::<CheckedLine>("GET", "/inventory/check");
        document.request_is::<ReserveRequest>("POST", "/inventory/reserve");
        document.answer_is::<ReserveAnswer>("POST", "/inventory/reserve");
        document.request_is::<CommitRequest>("POST", "/inventory/commit");
        document.answer_is::<CommitAnswer>("POST", "/inventory/commit");
        document.request_is::<CloseRequest>("POST", "/inventory/close");
        document.answer_is::<CloseAnswer>("POST", "/inventory/close");
        document.request_is::<StockDelivery>("PUT", "/inventory/stock");
        document.answer_is::<DeliveryAnswer>("PUT", "/inventory/stock");
        document.answer_is::<Page<StockRow>>("GET", "/inventory/stock");
        document.answer_is::<Page<Movement>>("GET", "/inventory/movements");
        document.answer_is::<Page<Effect>>("GET", "/effects");
    }
}
