import type { Document } from '../readme/documents.ts'
import type { Page } from './reference.ts'

const GUIDE = 'examples/assistants/README.md'

/** For coding assistants: what the package has to read, by its path there. https://llmstxt.org */
export function llmsText(pages: readonly Page[], documents: readonly Document[]): string {
  const guides = documents
    .filter(({ path }) => /^(?:src|examples)\//.test(path) && path !== GUIDE)
    .toSorted((one, other) => (one.path < other.path ? -1 : 1))
    .map(({ path, text }) => `- [${titleOf(text)}](${path})`)
  const reference = pages
    .slice(1)
    .map(({ name, title, about }) => `- [${title}](dist/docs/${name}.md): ${about}`)
  return `# Lineclear

> A TypeScript library for AWS Lambda functions that read SQS, directly or through SNS: what a handler does through \`ctx\` happens once.

Paths are those of the package, \`node_modules/lineclear\`. Types: \`dist/types/*.d.cts\`.

- [For coding assistants](${GUIDE}): the rules, a consumer, its tests, its template. Read it first.
- [README](README.md): what is guaranteed, what is not, when not to use it

## Guides

${guides.join('\n')}

## Reference

${reference.join('\n')}
`
}

function titleOf(text: string): string {
  return /^# (.*)$/m.exec(text)?.[1] ?? ''
}
