/** Stands for a payment provider: the same key gives the same receipt, and one charge. */
const receipts = new Map<string, string>()

export async function charge(
  order: { readonly orderId: string },
  idempotencyKey: string,
): Promise<string> {
  const receipt =
    receipts.get(idempotencyKey) ?? `receipt ${receipts.size + 1} for ${order.orderId}`
  receipts.set(idempotencyKey, receipt)
  return receipt
}

export function chargesMade(): number {
  return receipts.size
}
