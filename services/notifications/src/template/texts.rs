//! What the templates say.

use contracts::notifications::{ORDER_CANCELLED, ORDER_CONFIRMED, OUT_OF_STOCK};

use super::{Template, Text};

pub(super) static TEMPLATES: [Template; 3] = [CONFIRMED, SOLD_OUT, CANCELLED];

const CONFIRMED: Template = Template {
    name: ORDER_CONFIRMED,
    needs: &["total", "carriers", "tracking_numbers", "estimated_delivery"],
    is_forward: true,
    spanish: Text {
        subject: "Tu pedido {order_id} está confirmado",
        email: "¡Gracias por tu compra!\n\n\
                Tu pedido {order_id} por {total} está confirmado y va en camino.\n\
                Transporte: {carriers}\n\
                Número de rastreo: {tracking_numbers}\n\
                Entrega estimada: {estimated_delivery}\n",
        push: "Tu pedido {order_id} está confirmado. Entrega estimada: {estimated_delivery}",
    },
    portuguese: Text {
        subject: "Seu pedido {order_id} está confirmado",
        email: "Obrigado pela sua compra!\n\n\
                Seu pedido {order_id} de {total} está confirmado e a caminho.\n\
                Transporte: {carriers}\n\
                Código de rastreamento: {tracking_numbers}\n\
                Entrega prevista: {estimated_delivery}\n",
        push: "Seu pedido {order_id} está confirmado. Entrega prevista: {estimated_delivery}",
    },
    english: Text {
        subject: "Your order {order_id} is confirmed",
        email: "Thank you for your purchase!\n\n\
                Your order {order_id} for {total} is confirmed and on its way.\n\
                Carried by: {carriers}\n\
                Tracking number: {tracking_numbers}\n\
                Estimated delivery: {estimated_delivery}\n",
        push: "Your order {order_id} is confirmed. Estimated delivery: {estimated_delivery}",
    },
};

const SOLD_OUT: Template = Template {
    name: OUT_OF_STOCK,
    needs: &[],
    is_forward: false,
    spanish: Text {
        subject: "No hay existencias para tu pedido {order_id}",
        email: "Lo sentimos.\n\n\
                No quedan existencias suficientes para tu pedido {order_id} y no podemos enviarlo.\n\
                Te devolvemos todo lo que pagaste.\n\
                Importe: {refund_total}\n",
        push: "No hay existencias para tu pedido {order_id}. Te devolvemos todo lo que pagaste.",
    },
    portuguese: Text {
        subject: "Não há estoque para o seu pedido {order_id}",
        email: "Sentimos muito.\n\n\
                Não há estoque suficiente para o seu pedido {order_id} e não podemos enviá-lo.\n\
                Devolvemos tudo o que você pagou.\n\
                Valor: {refund_total}\n",
        push: "Não há estoque para o seu pedido {order_id}. Devolvemos tudo o que você pagou.",
    },
    english: Text {
        subject: "Your order {order_id} is out of stock",
        email: "We are sorry.\n\n\
                There is not enough left in stock for your order {order_id}, so we cannot send it.\n\
                All that you paid is given back to you.\n\
                Amount: {refund_total}\n",
        push: "Your order {order_id} is out of stock. All that you paid is given back to you.",
    },
};

const CANCELLED: Template = Template {
    name: ORDER_CANCELLED,
    needs: &[],
    is_forward: false,
    spanish: Text {
        subject: "Tu pedido {order_id} fue cancelado",
        email: "Lo sentimos.\n\n\
                Tu pedido {order_id} fue cancelado y no será enviado.\n\
                Te devolvemos todo lo que pagaste.\n\
                Importe: {refund_total}\n",
        push: "Tu pedido {order_id} fue cancelado. Te devolvemos todo lo que pagaste.",
    },
    portuguese: Text {
        subject: "Seu pedido {order_id} foi cancelado",
        email: "Sentimos muito.\n\n\
                Seu pedido {order_id} foi cancelado e não será enviado.\n\
                Devolvemos tudo o que você pagou.\n\
                Valor: {refund_total}\n",
        push: "Seu pedido {order_id} foi cancelado. Devolvemos tudo o que você pagou.",
    },
    english: Text {
        subject: "Your order {order_id} is cancelled",
        email: "We are sorry.\n\n\
                Your order {order_id} is cancelled and will not be sent.\n\
                All that you paid is given back to you.\n\
                Amount: {refund_total}\n",
        push: "Your order {order_id} is cancelled. All that you paid is given back to you.",
    },
};
