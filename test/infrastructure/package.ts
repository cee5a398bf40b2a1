import { writeFileSync } from 'node:fs'
import { packageService } from '../documents/deploy/packaged.ts'

/** Writes what osls makes of serverless.yml: `node test/infrastructure/package.ts FILE`. */
const [file = ''] = process.argv.slice(2)
const service = await packageService()
writeFileSync(file, JSON.stringify(service.template, undefined, 1))
service.remove()
