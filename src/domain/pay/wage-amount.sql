-- The amount of a wage as it is paid: rounded half up to the cent.
create function wage_amount(payable_amount numeric) returns numeric(14, 4) language sql immutable parallel safe
return round(coalesce(payable_amount, 0), 2)::numeric(14, 4);
