/** A model of a provider that knows idempotency keys: the same key gives the same receipt, and one charge. */
const receipts = new Map<string, string>()

export function charge(orderId: string, idempotencyKey: string): string | Promise<string> {
  const provider = process.env['PAYMENTS_URL']
  if (provider !== undefined) return chargeAt(provider, orderId, idempotencyKey)
  const receipt = receipts.get(idempotencyKey) ?? `receipt ${receipts.size + 1} for ${orderId}`
  receipts.set(idempotencyKey, receipt)
  return receipt
}

export function chargesMade(): number {
  return receipts.size
}

/** With `lineclear dev` it is a process of its own, which can be down, slow, or lose its answer. */
async function chargeAt(provider: string, orderId: string, key: string): Promise<string> {
  const response = await fetch(`${provider}/charges/${orderId}`, {
    method: 'POST',
    headers: { 'idempotency-key': key },
    signal: AbortSignal.timeout(1_000),
  })
  if (!response.ok) throw new Error(`the provider answered ${response.status}`)
  return ((await response.json()) as { readonly id: string }).id
}
