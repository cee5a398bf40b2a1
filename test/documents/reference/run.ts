import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { reference } from './reference.ts'

/** `npm run docs` */
writeFileSync(resolve(import.meta.dirname, '../../../src/tools/reference/README.md'), reference())
