import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const README = resolve(import.meta.dirname, '../../../README.md')

/** The actions that the README's table of roles lists, each with its service. A name without a service has the one before it. */
export function readmeActions(role: string): string[] {
  const row = readFileSync(README, 'utf8')
    .split('\n')
    .find((line) => line.startsWith(`| ${role} |`))
  if (row === undefined) throw new Error(`README.md has no role "${role}"`)
  let service = ''
  return [...row.matchAll(/`(?:(dynamodb|sqs|sns|lambda):)?([A-Z]\w+)`/g)].map(([, own, name]) => {
    service = own ?? service
    return `${service}:${name}`
  })
}
