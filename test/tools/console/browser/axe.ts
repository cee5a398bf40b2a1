import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const SOURCE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa']

let source: Promise<string> | undefined

/** All rules, or only those of contrast: they are all that another theme can break. */
export type Rules = 'all' | 'contrast'

/**
 * What WCAG 2.2 AA finds wrong with the page as it is now, a sentence each. The page's policy forbids scripts of others, so axe
 * is evaluated by the debugger.
 */
export async function axe(page: Page, rules: Rules): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page)
  const evaluate = async (expression: string): Promise<unknown> => {
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    })
    if (exceptionDetails !== undefined) throw new Error(`axe: ${exceptionDetails.text}`)
    return result.value
  }
  try {
    if ((await evaluate('typeof axe')) !== 'object') {
      await evaluate(`${await (source ??= readFile(SOURCE, 'utf8'))};0`)
    }
    const runOnly = rules === 'all' ? RULES : ['color-contrast', 'link-in-text-block']
    const options = { runOnly, resultTypes: ['violations'] }
    const found = await evaluate(`axe.run(document, ${JSON.stringify(options)})`)
    return described(found as AxeResults)
  } finally {
    await session.detach()
  }
}

function described({ violations }: AxeResults): readonly string[] {
  return violations.map(({ id, help, nodes }) => {
    const [first] = nodes
    const why = first?.failureSummary?.replaceAll(/\s+/g, ' ').slice(0, 300)
    return `${id}: ${help}: ${nodes.length} such as ${first?.target.join(' ')}: ${why}`
  })
}
