/** `waiting`: not known. It was asked, and has not answered yet. */
export type Contact = 'answers' | 'waiting' | 'silent'

/** What is asked, and what came of it. */
interface Asked {
  /** Since when an answer is waited for, epoch milliseconds; undefined: none is. */
  readonly since?: number | undefined
  readonly said?: 'answer' | 'failure'
}

/** Keeps by what is asked whether the other side answers. */
interface Contacts {
  /** @param at epoch milliseconds */
  asked(what: string, at: number): void
  told(what: string, said: 'answer' | 'failure'): void
  /** It is not asked any more, or what came says nothing about the other side. */
  left(what: string): void
  stateAt(now: number): Contact
}

/** Milliseconds. An answer that takes longer may never come. */
const SLOW = 4_000

/** One question without an answer is enough: what a page shows of it is old, whatever else is answered. */
export function newContacts(): Contacts {
  const all = new Map<string, Asked>()
  return {
    asked(what, at) {
      const { since = at, ...rest } = all.get(what) ?? {}
      all.set(what, { ...rest, since })
    },
    told: (what, said) => void all.set(what, { said }),
    left: (what) => void all.delete(what),
    stateAt(now) {
      const asked = [...all.values()]
      if (asked.some(({ said }) => said === 'failure')) return 'silent'
      if (asked.some(({ since = now }) => now - since > SLOW)) return 'waiting'
      return asked.some(({ said }) => said === 'answer') ? 'answers' : 'waiting'
    },
  }
}
