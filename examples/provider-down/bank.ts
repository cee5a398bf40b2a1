/** A model of a bank that is down now and then, and knows idempotency keys. */
export const bank = { isDown: false, calls: 0, refused: 0, receipts: new Map<string, string>() }

export class BankIsDownError extends Error {
  override readonly name = 'BankIsDownError'
}

export function transfer(cents: number, idempotencyKey: string): string {
  bank.calls += 1
  if (bank.isDown) {
    bank.refused += 1
    throw new BankIsDownError('503: the bank is closed for maintenance')
  }
  const receipt = bank.receipts.get(idempotencyKey) ?? `receipt ${bank.calls} over ${cents}`
  bank.receipts.set(idempotencyKey, receipt)
  return receipt
}
