import { expect, it } from 'vitest'
import { isProof } from '../depth.ts'
import { CAUSES } from './causes.ts'
import { isBetween } from './facts.ts'
import { look, overviewOf, type Seen } from './look.ts'
import { makeWorld } from './makeWorld.ts'
import { judge } from './oracle.ts'

type Json = Seen['json']
type Finding = Json['findings'][number]

interface Lie {
  readonly lie: string
  /** undefined: there is nothing to lie about. */
  readonly tell: (seen: Seen) => Seen | undefined
}

/** So many worlds are looked at for one that a lie is about. */
const WORLDS = 60
/** So many are lied about. */
const TOLD = isProof ? 3 : 1

const looks = new Map<number, Promise<Seen>>()

/** Once for all lies. */
async function lookOnce(seed: number): Promise<Seen> {
  const known = looks.get(seed) ?? look(makeWorld(seed))
  looks.set(seed, known)
  return known
}

const LIES: readonly Lie[] = [
  {
    lie: 'counts a sample as the whole',
    tell: ({ json, ...seen }) => {
      if (!json.findings.some(({ sample }) => sample !== undefined)) return undefined
      const findings = json.findings.map(({ sample: _sample, ...each }) => ({
        ...each,
        atLeast: false,
      }))
      const unread = json.unread.filter((each) => !each.includes('dead letters of'))
      return retold({ ...seen, json: { ...json, findings, unread } })
    },
  },
  {
    lie: 'does not name a source that is denied',
    tell: ({ json, ...seen }) => {
      const unread = json.unread.filter((each) => !each.includes('not authorized'))
      if (unread.length === json.unread.length) return undefined
      return retold({ ...seen, json: { ...json, unread } })
    },
  },
  {
    lie: 'says one cause for another',
    tell: ({ json, ...seen }) => {
      const [one, other] = CAUSES.flatMap(
        ({ says }) =>
          json.findings.find(({ kind, what }) => kind === 'dead letters' && what.includes(says)) ??
          [],
      )
      if (one === undefined || other === undefined || one.number === other.number) return undefined
      const findings = json.findings.map((each) => {
        if (each === one) return { ...one, what: other.what }
        return each === other ? { ...other, what: one.what } : each
      })
      return retold({ ...seen, json: { ...json, findings } })
    },
  },
  {
    lie: 'ends well where there is a problem',
    tell: (seen) => (seen.code === 1 ? { ...seen, code: 0, codeOfJson: 0 } : undefined),
  },
  {
    lie: 'invents that there is no dead letter',
    tell: ({ json, ...seen }) => {
      const findings = json.findings.map((each): Finding =>
        each.kind === 'stopped' ? { ...each, kind: 'no dead letter' } : each,
      )
      if (!json.findings.some(({ kind }) => kind === 'no dead letter' || kind === 'stopped'))
        return undefined
      if (json.findings.some(({ kind }) => kind === 'no dead letter')) return undefined
      return retold({ ...seen, json: { ...json, findings } })
    },
  },
  {
    lie: 'counts one twice',
    tell: ({ json, ...seen }) => {
      const twice = json.findings.find(({ kind, atLeast }) => kind === 'dead letters' && !atLeast)
      if (twice === undefined) return undefined
      const findings = json.findings.map((each) =>
        each === twice ? { ...each, number: each.number + 1 } : each,
      )
      return retold({ ...seen, json: { ...json, findings } })
    },
  },
  {
    lie: 'leaves out a problem',
    tell: ({ json, ...seen }) => {
      const [first, ...findings] = json.findings
      if (first === undefined || first.severity === 'note') return undefined
      return retold({ ...seen, json: { ...json, findings } })
    },
  },
  {
    lie: 'says another age',
    tell: ({ json, ...seen }) => {
      const at = json.findings.findIndex(
        ({ since, kind }) => since !== undefined && kind === 'dead letters',
      )
      if (at < 0) return undefined
      const findings = json.findings.map((each, nth) =>
        nth === at ? { ...each, since: new Date(0).toISOString() } : each,
      )
      return retold({ ...seen, json: { ...json, findings } })
    },
  },
]

/** Text, exit code and console that fit the JSON: only the world can tell. */
function retold(seen: Seen): Seen {
  const { json, text } = seen
  const heads = json.findings.map(({ kind, number, atLeast, of, pace, what }) => {
    return `· ${kind}  ${number}${atLeast ? ' or more' : ''} of ${of}  ${pace}  ${what}`
  })
  const rest = text.filter((line) => !/^([✖!·✔?] |not read: )/.test(line))
  const hasFault = json.findings.some(({ severity }) => severity !== 'note')
  const isWhole = json.unread.length === 0
  const verdict = isWhole ? '✔ No problem found' : '? Not known whether anything is wrong'
  const code = hasFault || !isWhole ? 1 : 0
  return {
    ...seen,
    text: [
      ...heads,
      ...json.unread.map((each) => `not read: ${each}`),
      ...(hasFault ? [] : [verdict]),
      ...rest,
    ],
    code,
    codeOfJson: code,
    console: overviewOf(json),
  }
}

it.each(LIES)('the oracle notices a status that $lie', async ({ tell }) => {
  let told = 0
  for (let seed = 1; seed <= WORLDS && told < TOLD; seed++) {
    const world = makeWorld(seed)
    if (isBetween(world)) continue
    const seen = await lookOnce(seed)
    if (seen.code === 3) continue
    const lied = tell(seen)
    if (lied === undefined) continue
    told += 1
    expect(judge(world, lied), `seed ${seed}`).not.toEqual([])
  }
  expect(told).toBeGreaterThan(0)
})
