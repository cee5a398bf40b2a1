import type { Receipt } from '../../../examples/payments-api/payments.ts'

interface Gate {
  /** The call waits at the gate. */
  readonly reached: Promise<void>
  open(): void
}

/** Stands for the payment provider of the examples: counts its calls, and lets a test hold the next one back. */
export interface Provider {
  made(): number
  /** The next call waits before it takes effect: its process is slow, or dead for as long as nobody opens the gate. */
  holdNext(): Gate
  reset(): void
  /** In place of `examples/payments-api/payments.ts`. */
  readonly module: {
    charge(cents: number): Promise<Receipt>
    refundAtProvider(paymentId: string): Promise<Receipt>
  }
}

export function testProvider(): Provider {
  let made = 0
  let next: (() => Promise<void>) | undefined
  const call = async (cents: number): Promise<Receipt> => {
    const held = next?.()
    next = undefined
    await held
    made += 1
    return { paymentId: `payment-${made}`, cents }
  }
  return {
    made: () => made,
    holdNext: () => {
      const reached = Promise.withResolvers<void>()
      const opened = Promise.withResolvers<void>()
      next = () => {
        reached.resolve()
        return opened.promise
      }
      return { reached: reached.promise, open: opened.resolve }
    },
    reset: () => {
      made = 0
      next = undefined
    },
    module: { charge: call, refundAtProvider: () => call(-1200) },
  }
}
