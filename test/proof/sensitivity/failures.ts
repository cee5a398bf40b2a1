import { relative } from 'node:path'
import type { Reporter } from 'vitest/node'

const PREFIX = 'not passed: '

/** Prints one line for each failed test, file and error. */
export function failures(): Reporter {
  const say = (moduleId: string, what: string | undefined): void =>
    console.log(`${PREFIX}${relative(process.cwd(), moduleId)} > ${what?.split('\n')[0] ?? ''}`)
  return {
    onTestCaseResult(test) {
      if (test.result().state === 'failed') say(test.module.moduleId, test.fullName)
    },
    onTestSuiteResult(suite) {
      if (suite.state() === 'failed' && suite.errors().length > 0)
        say(suite.module.moduleId, suite.errors()[0]?.message)
    },
    onTestModuleEnd(module) {
      for (const { message } of module.errors()) say(module.moduleId, message)
    },
    onTestRunEnd(_modules, unhandled) {
      for (const { message } of unhandled) say('', message)
    },
  }
}

/** @returns file and test of the first failure in what `failures` printed */
export function firstFailure(
  output: string,
): { readonly file: string; readonly test: string } | undefined {
  const line = output.split('\n').find((each) => each.startsWith(PREFIX))
  if (line === undefined) return undefined
  const [file = '', ...test] = line.slice(PREFIX.length).split(' > ')
  return { file, test: test.join(' > ') }
}
