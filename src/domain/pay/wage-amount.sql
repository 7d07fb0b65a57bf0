-- The amount of a wage as it is paid: rounded half up to the cent.
create function wage_amount(payable_amount numeric) returns numeric language sql immutable parallel safe
return round(coalesce(payable_amount, 0), 2);
