import { expect, it } from 'vitest'
import { fileName } from '../../../../src/tools/console/app/parts/words.ts'

it.each([
  ['orders/o-1', 'orders-o-1.json'],
  ['../../etc/passwd', 'etc-passwd.json'],
  ['.bashrc', 'bashrc.json'],
  ['mails/a\u202Egnp.exe', 'mails-a-gnp-exe.json'],
  ['é/ü', 'request.json'],
  ['', 'request.json'],
  ['x'.repeat(300), `${'x'.repeat(80)}.json`],
])('%j is saved as %s', (id, name) => {
  expect(fileName(id)).toBe(name)
})
