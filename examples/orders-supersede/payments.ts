/** Stands for a payment provider that knows idempotency keys, and voids a charge by the key that it was made with. */
const charges = new Map<string, 'charged' | 'voided'>()

export function charge(cents: number, idempotencyKey: string): string {
  if (!charges.has(idempotencyKey)) charges.set(idempotencyKey, 'charged')
  return `receipt over ${cents}`
}

/** Also for a charge that may never have arrived: it is then refused when it comes. */
export function voidCharge(idempotencyKey: string): 'voided' {
  charges.set(idempotencyKey, 'voided')
  return 'voided'
}

export function chargesThatStand(): number {
  return [...charges.values()].filter((state) => state === 'charged').length
}
