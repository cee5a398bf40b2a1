export { Dev } from './dev.tsx'
export { Send } from './send.tsx'
