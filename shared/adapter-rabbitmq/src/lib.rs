//! adapter-rabbitmq
