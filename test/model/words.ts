import type { Update } from '../../src/store/store.ts'

type Rule = readonly [applies: (update: Update) => boolean, words: (update: Update) => string]

const step = (update: Update): string | undefined =>
  [...Object.keys(update.set ?? {}), ...(update.remove ?? [])].find((name) =>
    name.startsWith('step:'),
  )

const RULES: readonly Rule[] = [
  [
    ({ set }) => set?.['attemptId'] !== undefined && set['status'] === 'dying',
    () => 'takes over, to bury',
  ],
  [
    ({ set, remove }) => set?.['attemptId'] !== undefined && set['attempt'] === 1,
    ({ remove }) => (remove?.includes('reason') === true ? 'reopens' : 'begins anew'),
  ],
  [
    ({ set }) => set?.['attemptId'] !== undefined,
    ({ set }) => `takes over as attempt ${set?.['attempt']}`,
  ],
  [({ set }) => set?.['status'] === 'dying', () => 'marks the request as dying'],
  [({ set }) => set?.['status'] !== undefined, ({ set }) => `buries (${set?.['status']})`],
  [({ remove }) => remove?.includes('status') === true, () => 'completes'],
  [({ set }) => set?.['ticket'] !== undefined, ({ set }) => `writes ticket ${set?.['ticket']}`],
  [({ set }) => set?.['confirmed'] === true, () => 'confirms the ticket'],
  [({ set }) => set?.['notBefore'] !== undefined, () => 'writes when to come back'],
  [({ set }) => set?.['attempt'] !== undefined, () => 'releases the claim'],
  [
    (update) => step(update) !== undefined,
    ({ set, remove }) => {
      const name = step({
        key: { pk: '', sk: '' },
        where: [],
        ...(set && { set }),
        ...(remove && { remove }),
      })
      const stored = name === undefined ? undefined : set?.[name]
      return stored === undefined
        ? `forgets ${name}`
        : `stores ${String(stored).slice(0, 12)} for ${name}`
    },
  ],
  [({ addTo }) => addTo !== undefined, ({ addTo }) => `marks ${addTo?.member} as applied`],
]

/** What a write on the token is for, as a person would say it. */
export function inWords(update: Update): string {
  const rule = RULES.find(([applies]) => applies(update))
  return rule === undefined ? 'checks the claim' : rule[1](update)
}
