import { z } from 'zod'
import { randomFrom } from './random.ts'

const Name: z.ZodString = z
  .string()
  .min(1)
  .max(128)
  .refine((text) => text.isWellFormed(), 'half a character')

/** What the payment processor sends when a deposit was made. `amount` in cents. */
export const Callback: z.ZodObject<{
  transactionId: z.ZodString
  account: z.ZodString
  amount: z.ZodInt
}> = z.object({
  transactionId: Name,
  account: Name,
  amount: z.int().min(1).max(1_000_000_000),
})
export type Callback = z.infer<typeof Callback>

const CUSTOMERS = ['ada', 'bela', 'chidi', 'dara', 'emeka', 'femi', 'grace', 'halima']

/** The bodies of `count` callbacks: the same for the same seed. */
export function makeUpCallbacks(count: number, seed: number): readonly string[] {
  const random = randomFrom(seed)
  return Array.from({ length: count }, (_, index) => {
    const callback: Callback = {
      transactionId: `tx-${String(index + 1).padStart(6, '0')}`,
      account: CUSTOMERS[Math.floor(random() * CUSTOMERS.length)] ?? 'ada',
      amount: 100 + Math.floor(random() * 50_000),
    }
    return JSON.stringify(callback)
  })
}
