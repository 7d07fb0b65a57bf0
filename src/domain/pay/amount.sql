-- The number of decimal places of amounts in a currency by ISO 4217, as in src/domain/pay/money.ts.
create function minor_unit(currency text) returns integer language sql immutable parallel safe
return case
  when currency in (
    'BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'UYI', 'VND', 'VUV', 'XAF', 'XOF', 'XPF'
  ) then 0
  when currency in ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND') then 3
  when currency in ('CLF', 'UYW') then 4
  else 2
end;

-- The amount of a line, rounded once, half away from zero, to the minor unit of the currency.
create function amount_of(currency text, quantity numeric, rate numeric, factor numeric) returns numeric
language sql immutable parallel safe
return round(quantity * rate * factor, minor_unit(currency));
