/** A model of a payment provider that honours keys. Counts every call, repeated keys included. */
let charges = 0
let refunds = 0
let payouts = 0

export interface Receipt {
  readonly paymentId: string
  readonly cents: number
}

export async function charge(cents: number, _idempotencyKey?: string): Promise<Receipt> {
  charges += 1
  await new Promise((resolve) => setTimeout(resolve, 80))
  return { paymentId: `payment-${charges}`, cents }
}

export async function refundAtProvider(
  paymentId: string,
  _key: { readonly idempotencyKey: string },
): Promise<Receipt> {
  refunds += 1
  if (paymentId === 'unknown') throw new Error('no such payment')
  return { paymentId, cents: -1200 }
}

/** A bank without idempotency keys, which breaks off after it has paid. */
export async function payOut(orderId: string): Promise<Receipt> {
  payouts += 1
  if (orderId === 'breaks off') throw new Error('the process dies here')
  return { paymentId: `payout-${payouts}`, cents: 800 }
}

export function payoutsMade(): number {
  return payouts
}

export function refundsMade(): number {
  return refunds
}

export function chargesMade(): number {
  return charges
}
