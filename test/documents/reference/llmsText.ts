import type { Page } from './reference.ts'

/** For programs that read documents: https://llmstxt.org */
export function llmsText(pages: readonly Page[]): string {
  const links = pages.slice(1).map(({ name, title, about }) => `- [${title}](${name}.md): ${about}`)
  return `# Lineclear

> A TypeScript framework for AWS Lambda: SQS and SNS consumers whose every effect made through \`ctx\` happens exactly once.

README.md of the package says what is guaranteed, and what is not.

## Reference

${links.join('\n')}
`
}
