/** The outside systems of the handlers, and the effects on them. */
export interface Outside {
  /** A request is sent, perhaps again. @returns when it was sent first */
  expect(to: 'orders' | 'validate', request: string, fails: number, now: number): number
  /** Throws as many times as the request has to fail. */
  stumble(request: string): void
  /** One key, one charge. */
  charge(key: string): string
  /** By the queue they are for, in the order of their first sending. */
  readonly requests: Readonly<Record<'orders' | 'validate', readonly string[]>>
  readonly charges: ReadonlySet<string>
}

export function openOutside(): Outside {
  const requests: Record<'orders' | 'validate', string[]> = { orders: [], validate: [] }
  const sentAt = new Map<string, number>()
  const failures = new Map<string, number>()
  const charges = new Set<string>()
  return {
    requests,
    charges,
    expect(to, request, fails, now) {
      const first = sentAt.get(request)
      if (first !== undefined) return first
      requests[to].push(request)
      sentAt.set(request, now)
      failures.set(request, fails)
      return now
    },
    stumble(request) {
      const left = failures.get(request) ?? 0
      failures.set(request, left - 1)
      if (left > 0) throw new Error(`${request} fails`)
    },
    charge(key) {
      charges.add(key)
      return `receipt ${key}`
    },
  }
}
