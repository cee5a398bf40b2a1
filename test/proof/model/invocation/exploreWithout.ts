import { type CrashReport, exploreCrashes } from 'lineclear/testing'
import type { InvocationProtection } from './protections.ts'
import { handlerOf, NIGHT, scenarios } from './scenarios.ts'

/** Every schedule of its scenario without this protection. */
export async function exploreWithout(
  { scenario, only, without }: InvocationProtection,
  limit?: number,
): Promise<CrashReport> {
  const { options } = scenarios[scenario]
  const build = handlerOf(scenarios[scenario], without)
  const most = limit === undefined ? {} : { limit }
  return exploreCrashes(build, NIGHT, { as: 'invocation', only, ...options, ...most })
}
