/** Stands for a provider that knows idempotency keys: the same key gives the same receipt, and one charge. */
const receipts = new Map<string, string>()

export function charge(orderId: string, idempotencyKey: string): string {
  const receipt = receipts.get(idempotencyKey) ?? `receipt ${receipts.size + 1} for ${orderId}`
  receipts.set(idempotencyKey, receipt)
  return receipt
}

export function chargesMade(): number {
  return receipts.size
}
