import type { Protection } from './protection.ts'
import { runTests, type TestEnd } from './runTests.ts'

export interface Judged {
  readonly protection: Protection
  readonly passed: boolean
  /** What has noticed that the protection is off. undefined: nothing. */
  readonly by: Extract<TestEnd, { kind: 'failed' }> | undefined
  readonly seconds: number
}

/** Milliseconds. Some tests and folders take seconds, all of them minutes; a busy machine takes several times as long. */
const LIMIT = 300_000
const LIMIT_OF_ALL = 1_800_000

/**
 * Switches the protection off, and looks for a test that notices: first where one is likely, in the end everywhere.
 * @param nearOnly not everywhere
 */
export async function judge(protection: Protection, nearOnly: boolean): Promise<Judged> {
  const begun = Date.now()
  const by = await noticing(protection, nearOnly || protection.exception !== undefined)
  const passed = (by === undefined) === (protection.exception !== undefined)
  return { protection, passed, by, seconds: (Date.now() - begun) / 1_000 }
}

async function noticing(protection: Protection, nearOnly: boolean): Promise<Judged['by']> {
  const near = protection.tests.map((part) => [part])
  // Everything takes minutes, too long for what is known to be unnoticed.
  const places = nearOnly ? near : [...near, []]
  for (const place of places) {
    const limit = place.length === 0 ? LIMIT_OF_ALL : LIMIT
    const end = await runTests({ tests: place, off: protection, limit })
    if (end.kind === 'failed') return end
    // Only tests that end in this time with the protection on have noticed anything by not ending.
    const slow = end.kind === 'late' && (await runTests({ tests: place, off: undefined, limit }))
    if (slow && slow.kind === 'passed') return noEnd(limit)
  }
  return undefined
}

function noEnd(limit: number): Judged['by'] {
  return { kind: 'failed', file: '', test: `no end within ${limit / 1_000} s` }
}

/** What is wrong begins with a word that CI looks for. */
export function lineOf({ protection, passed, by, seconds }: Judged): string {
  const { file, exception } = protection
  const what = `${file}: ${protection.protects} (${seconds.toFixed(1)} s)`
  if (by !== undefined && passed) return `noticed  ${what}\n         by ${by.file} > ${by.test}`
  if (by !== undefined)
    return `WRONG    ${what}\n         is noticed: delete its exception: ${exception}`
  if (passed) return `except   ${what}\n         ${exception}`
  return `WRONG    ${what}\n         no test of npm test or of what takes long fails when it is switched off\n         Write one.`
}
