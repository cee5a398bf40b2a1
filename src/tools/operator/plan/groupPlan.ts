import { hash } from 'node:crypto'
import type { PlanContents } from '../dlq/index.ts'

/** A request or key of a plan, and what its own plan was called: another name means that it has changed. */
export interface PlannedToken {
  readonly pk: string
  readonly plan: string
}

/** What a plan for a group holds. */
export interface GroupPlan extends PlanContents {
  readonly tokens: readonly PlannedToken[]
}

/** Bytes of a text: an item of DynamoDB may have 400 KB. */
const TEXT_BYTES = 300_000

export function groupPlanBuilder(): { add(token: PlannedToken): void; finish(): GroupPlan } {
  const lines: string[] = []
  return {
    add: ({ pk, plan }) => void lines.push(JSON.stringify([pk, plan])),
    finish: () => planOf(lines.toSorted()),
  }
}

/** @returns undefined when a text is not one that `texts` has made */
export function readGroupPlan(texts: readonly string[]): GroupPlan | undefined {
  try {
    return planOf(texts.flatMap((text) => text.split('\n')))
  } catch {
    return undefined
  }
}

/** @throws SyntaxError */
function planOf(lines: readonly string[]): GroupPlan {
  const tokens = lines.map((line): PlannedToken => {
    const [pk, plan] = JSON.parse(line) as [string, string]
    return { pk, plan }
  })
  return {
    size: tokens.length,
    tokens,
    fingerprint: () => hash('sha256', lines.join('\n'), 'hex'),
    texts: () => textsOf(lines),
  }
}

function textsOf(lines: readonly string[]): readonly string[] {
  const texts: string[] = []
  let together: string[] = []
  let bytes = 0
  for (const line of lines) {
    const more = Buffer.byteLength(line) + 1
    if (bytes + more > TEXT_BYTES && together.length > 0) {
      texts.push(together.join('\n'))
      together = []
      bytes = 0
    }
    together.push(line)
    bytes += more
  }
  return together.length === 0 ? texts : [...texts, together.join('\n')]
}
