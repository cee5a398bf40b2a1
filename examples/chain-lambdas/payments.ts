const charges = new Map<string, string>()

/** A model of a payment provider that knows idempotency keys, as Stripe and Adyen do. */
export function pay(cents: number, idempotencyKey: string): string {
  const before = charges.get(idempotencyKey)
  if (before !== undefined) return before
  const receipt = `receipt ${charges.size + 1} over ${cents}`
  charges.set(idempotencyKey, receipt)
  return receipt
}

export function chargesMade(): number {
  return charges.size
}
