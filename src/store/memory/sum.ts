/**
 * Adds as DynamoDB does, in decimal: 0.1 and 0.2 make 0.3. A whole number beyond 2^53 becomes a bigint, as when it is
 * read back; a fraction keeps 15 digits, of the 38 that DynamoDB would keep.
 */
export function sum(one: number | bigint, other: number): number | bigint {
  if (Number.isInteger(Number(one)) && Number.isInteger(other)) {
    const whole = BigInt(one) + BigInt(other)
    return Number.isSafeInteger(Number(whole)) ? Number(whole) : whole
  }
  return Number((Number(one) + other).toPrecision(15))
}
