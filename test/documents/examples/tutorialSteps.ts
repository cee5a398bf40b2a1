/** A command of the page, with what it prints. */
export interface Step {
  readonly command: string
  /** Undefined where the page shows nothing. */
  readonly output: string | undefined
}

const STEP = /^```sh\n([\s\S]*?)\n```\n(?:```text\n([\s\S]*?)\n?```\n)?/gm

export function stepsOf(page: string): Step[] {
  return [...page.matchAll(STEP)].map(([, command = '', output]) => ({ command, output }))
}

/** What differs from run to run: times, ages, ids, names of plans, ports, who types. */
const MOVING: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '2026-01-31T03:00:00.000Z'],
  [/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, '5d1f3a9c-…'],
  [/(?<![\w-])[\w-]{43}(?![\w-])/g, 'ZPWBur7m…'],
  [/(--apply|--group|plan|restore) [0-9a-f]{8}\b/g, '$1 7f3a91c2'],
  [/http:\/\/(?:127\.0\.0\.1|[\w.-]*localhost):\d+/g, 'http://localhost'],
  [/\b\d+ s\b/g, '5 s'],
  [/ done by \S+\.$/gm, ' done by you.'],
]

export function settled(text: string): string {
  return MOVING.reduce((all, [found, by]) => all.replaceAll(found, by), text).trimEnd()
}
