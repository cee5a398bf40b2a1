import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../readme/documents.ts'

/** @param role as in the heading "Permissions of a consumer". @returns the actions that are listed under it, once each */
export function readmeActions(role: string): string[] {
  const runbook = readFileSync(join(ROOT, 'src/tools/README.md'), 'utf8')
  const section = runbook.split(/^##+ /m).find((text) => text.startsWith(`Permissions ${role}\n`))
  if (section === undefined) throw new Error(`src/tools/README.md has no "Permissions ${role}"`)
  return [...new Set(section.match(/(?:dynamodb|sqs|sns|lambda):[A-Z]\w+/g))]
}
