import type { TestModule } from 'vitest/node'

export interface Outcomes {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** A file that does not load, a hook that throws and an uncaught error fail too, though no test of theirs does. */
export function countOutcomes(
  modules: readonly TestModule[],
  uncaught: readonly unknown[],
): Outcomes {
  const states = modules.flatMap((module) =>
    [...module.children.allTests()].map((test) => test.result().state),
  )
  const suites = modules.flatMap((module) => [module, ...module.children.allSuites()])
  const broken = suites.flatMap((suite) => suite.errors())
  const passed = states.filter((state) => state === 'passed').length
  const skipped = states.filter((state) => state === 'skipped').length
  return {
    passed,
    failed: states.length - passed - skipped + broken.length + uncaught.length,
    skipped,
  }
}
