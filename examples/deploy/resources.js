// serverless.yml can call .js only.
export { consumers } from './consumers.ts'
