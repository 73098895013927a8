#!/usr/bin/env python3
"""Writes the samples beside itself: orders.jsonl, 200 invented orders of a Black Friday in six countries; stock.csv, stock
that is enough for all of them with some left over; out-of-stock.jsonl, orders for more than there is of an article;
unknown-product.jsonl, orders for an article that was never delivered; malformed/, bodies that no worker can understand.
The same every time. Names, addresses and goods are made up.

usage: generate.py [FOLDER]
"""

import json
import random
import re
import sys
from collections import Counter
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path

ORDERS = 200
OUT_OF_STOCK = 6
MORE_THAN_THERE_IS = 2_000  # units
UNKNOWN_PRODUCT = 3
NEVER_DELIVERED = "ELEC-DRONE-404"
SEED = 20261127
LEFT_OVER = (5, 40)  # units of each article in each warehouse that nobody orders
FIRST_ORDER_AT = datetime(2026, 11, 27, 6, 0, tzinfo=timezone.utc)
SECONDS_BETWEEN = (5, 240)

# country: share of the orders, currency, its decimals, units of it per price point, step of prices, hours from UTC,
# shipping fee in price points, warehouses
COUNTRIES = {
    "MX": (55, "MXN", 2, Decimal("18.40"), Decimal("0.50"), -6, 5, ["WH-MX-CDMX", "WH-MX-MTY"]),
    "BR": (50, "BRL", 2, Decimal("5.35"), Decimal("0.10"), -3, 4, ["WH-BR-SP", "WH-BR-RJ"]),
    "AR": (30, "ARS", 2, Decimal("1180"), Decimal("0.25"), -3, 5, ["WH-AR-BUE", "WH-AR-CBA"]),
    "CL": (25, "CLP", 0, Decimal("940"), Decimal("10"), -3, 4, ["WH-CL-SCL", "WH-CL-CCP"]),
    "CO": (25, "COP", 2, Decimal("4050"), Decimal("50"), -5, 4, ["WH-CO-BOG", "WH-CO-MDE"]),
    "PE": (15, "PEN", 2, Decimal("3.72"), Decimal("0.10"), -5, 5, ["WH-PE-LIM", "WH-PE-AQP"]),
}

CITIES = {
    "MX": [("Ciudad de México", "06600"), ("Mérida", "97000"), ("Querétaro", "76000"), ("León", "37000"),
           ("Guadalajara", "44100"), ("San Luis Potosí", "78000")],
    "BR": [("São Paulo", "01310-100"), ("Brasília", "70040-010"), ("Florianópolis", "88010-000"),
           ("Belém", "66010-000"), ("Curitiba", "80010-000"), ("Maceió", "57020-000")],
    "AR": [("Buenos Aires", "C1043AAZ"), ("Córdoba", "X5000"), ("San Miguel de Tucumán", "T4000"),
           ("Neuquén", "Q8300"), ("Paraná", "E3100")],
    "CL": [("Santiago", "8320000"), ("Concepción", "4030000"), ("Valparaíso", "2340000"), ("Copiapó", "1530000"),
           ("Chillán", "3780000")],
    "CO": [("Bogotá", "110111"), ("Medellín", "050001"), ("Cúcuta", "540001"), ("Popayán", "190001"),
           ("Cali", "760001")],
    "PE": [("Lima", "15001"), ("Arequipa", "04001"), ("Cusco", "08000"), ("Trujillo", "13001"), ("Junín", "12001")],
}

STREETS = {
    "BR": ["Rua das Acácias", "Avenida do Sabiá", "Rua São Tomé", "Travessa da Conceição", "Alameda dos Ipês"],
    "": ["Calle del Jazmín", "Avenida de la Ilusión", "Pasaje Los Ñandúes", "Calle Peñón Azul", "Camino del Río",
         "Avenida Cóndor"],
}

# article: price points, weight in kg
ARTICLES = {
    "ELEC-LAPTOP-014": (620, "2.150"), "ELEC-TABLET-008": (240, "0.620"), "ELEC-PHONE-021": (310, "0.310"),
    "ELEC-SPEAKER-005": (48, "0.950"), "ELEC-HEADSET-011": (65, "0.280"), "ACC-MOUSE-042": (19, "0.140"),
    "ACC-KEYBOARD-017": (34, "0.780"), "ACC-HDMI-007": (9, "0.110"), "ACC-CHARGER-030": (22, "0.190"),
    "ACC-CASE-055": (14, "0.085"), "HOME-BLENDER-003": (58, "3.400"), "HOME-KETTLE-012": (32, "1.300"),
    "HOME-LAMP-026": (27, "1.150"), "HOME-BLANKET-009": (38, "1.800"), "HOME-PAN-018": (44, "2.200"),
    "TOY-PUZZLE-033": (16, "0.700"), "TOY-TRAIN-006": (52, "1.600"), "BOOK-COOKING-101": (23, "0.900"),
    "BOOK-ATLAS-044": (36, "1.900"), "SPORT-BALL-013": (21, "0.450"), "SPORT-MAT-029": (26, "1.250"),
    "FASH-JACKET-077": (72, "1.050"), "FASH-SHOES-063": (68, "0.980"), "FASH-SCARF-088": (17, "0.200"),
}


def price(country, points):
    """Price points in the country's money, in steps that are usual there."""
    _, _, decimals, rate, step, *_ = COUNTRIES[country]
    steps = (Decimal(points) * rate / step).to_integral_value()
    return (steps * step).quantize(Decimal(1).scaleb(-decimals))


def money(country, amount):
    """A decimal, marked so that `as_line` writes its digits as they are."""
    return {"value": f"@{amount}@", "currency": COUNTRIES[country][1]}


def as_line(order):
    return re.sub(r'"@([0-9.]+)@"', r"\1", json.dumps(order, ensure_ascii=False))


def address(chance, country):
    city, code = chance.choice(CITIES[country])
    street = chance.choice(STREETS.get(country, STREETS[""]))
    return {"country": country, "city": city, "zip": code, "line1": f"{street} {chance.randint(1, 2400)}"}


def lines_of(chance, country, number):
    """(article, quantity, warehouse) for each line. Every eighth order takes its lines from two warehouses, every
    twentieth names an article and warehouse twice."""
    warehouses = COUNTRIES[country][-1]
    home = chance.choice(warehouses)
    count = chance.choices([1, 2, 3, 5], weights=[60, 22, 13, 5])[0]
    if number % 8 == 0:
        count = max(count, 2)
    lines = [(sku, chance.choices([1, 2, 3], weights=[80, 15, 5])[0], home) for sku in chance.sample(list(ARTICLES), count)]
    if number % 8 == 0:
        sku, quantity, _ = lines[-1]
        lines[-1] = (sku, quantity, next(w for w in warehouses if w != home))
    if number % 20 == 0:
        sku, _, warehouse = lines[0]
        lines.append((sku, 1, warehouse))
    return lines


def order(chance, number, at):
    country = chance.choices(list(COUNTRIES), weights=[c[0] for c in COUNTRIES.values()])[0]
    order_id = f"ORD-2026-1127-{number:05}"
    lines = lines_of(chance, country, number)
    fee = price(country, COUNTRIES[country][6])
    total = fee + sum(price(country, ARTICLES[sku][0]) * quantity for sku, quantity, _ in lines)
    local = at.astimezone(timezone(timedelta(hours=COUNTRIES[country][5])))
    return lines, {
        "order_id": order_id,
        "timestamp": local.isoformat(),
        "customer_id": f"CUST-{country}-{chance.randint(100_000, 999_999)}",
        "payment_id": f"PAY-2026-{chance.randint(1_000_000, 9_999_999)}",
        "shipping_address": address(chance, country),
        "items": [
            {"sku": sku, "qty": quantity, "warehouse_hint": warehouse,
             "unit_price": money(country, price(country, ARTICLES[sku][0]))}
            for sku, quantity, warehouse in lines
        ],
        "shipping_fee": money(country, fee),
        "total_amount": money(country, total),
        "idempotency_key": f"{order_id}-v1",
    }


def single(chance, order_id, at, sku, quantity):
    """An order of one line that has no price of its own."""
    country = chance.choices(list(COUNTRIES), weights=[c[0] for c in COUNTRIES.values()])[0]
    local = at.astimezone(timezone(timedelta(hours=COUNTRIES[country][5])))
    return {
        "order_id": order_id,
        "timestamp": local.isoformat(),
        "customer_id": f"CUST-{country}-{chance.randint(100_000, 999_999)}",
        "payment_id": f"PAY-2026-{chance.randint(1_000_000, 9_999_999)}",
        "shipping_address": address(chance, country),
        "items": [{"sku": sku, "qty": quantity, "warehouse_hint": COUNTRIES[country][-1][0]}],
        "total_amount": money(country, price(country, 50)),
    }


def malformed(folder):
    """Each fails for a reason of its own."""
    good = as_line(single(random.Random(SEED), "ORD-2026-1127-MALFORMED", FIRST_ORDER_AT, "ACC-HDMI-007", 1))
    bodies = {
        "cut.json": good[: len(good) // 2].encode(),
        "not-json.txt": b"Dear warehouse, one HDMI cable please.\n",
        "not-utf8.bin": bytes([0xFF, 0xFE, 0x00, 0x9F]),
        "duplicate-key.json": good.replace('"qty": 1', '"qty": 1, "qty": 9').encode(),
        "fractional-quantity.json": good.replace('"qty": 1', '"qty": 1.5').encode(),
    }
    folder.mkdir(exist_ok=True)
    for name, body in bodies.items():
        (folder / name).write_bytes(body)


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    chance = random.Random(SEED)
    ordered = Counter()
    at = FIRST_ORDER_AT
    with open(folder / "orders.jsonl", "w", encoding="utf-8", newline="\n") as out:
        for number in range(1, ORDERS + 1):
            at += timedelta(seconds=chance.randint(*SECONDS_BETWEEN))
            lines, body = order(chance, number, at)
            for sku, quantity, warehouse in lines:
                ordered[sku, warehouse] += quantity
            out.write(as_line(body) + "\n")
    with open(folder / "stock.csv", "w", encoding="utf-8", newline="\n") as out:
        out.write("sku,warehouse,weight_kg,units\n")
        for country in COUNTRIES.values():
            for warehouse in country[-1]:
                for sku, (_, weight) in ARTICLES.items():
                    out.write(f"{sku},{warehouse},{weight},{ordered[sku, warehouse] + chance.randint(*LEFT_OVER)}\n")
    chance = random.Random(SEED + 1)
    for file, prefix, count, sku, quantity in [
        ("out-of-stock.jsonl", "ORD-2026-1127-SHORT", OUT_OF_STOCK, "TOY-TRAIN-006", MORE_THAN_THERE_IS),
        ("unknown-product.jsonl", "ORD-2026-1127-UNKNOWN", UNKNOWN_PRODUCT, NEVER_DELIVERED, 1),
    ]:
        with open(folder / file, "w", encoding="utf-8", newline="\n") as out:
            for number in range(1, count + 1):
                at += timedelta(seconds=chance.randint(*SECONDS_BETWEEN))
                out.write(as_line(single(chance, f"{prefix}-{number}", at, sku, quantity)) + "\n")
    malformed(folder / "malformed")


if __name__ == "__main__":
    main()
