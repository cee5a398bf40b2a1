import { documents } from '../readme/documents.ts'

/** The actions that a README's table of roles lists, each with its service. A name without a service has the one before it. */
export function readmeActions(role: string): string[] {
  const row = documents
    .flatMap(({ text }) => text.split('\n'))
    .find((line) => line.startsWith(`| ${role} |`))
  if (row === undefined) throw new Error(`no README has a role "${role}" in a table`)
  let service = ''
  return [...row.matchAll(/`(?:(dynamodb|sqs|sns|lambda):)?([A-Z]\w+)`/g)].map(([, own, name]) => {
    service = own ?? service
    return `${service}:${name}`
  })
}
