/** Migrations are plain SQL files, taken into the build as text. */
declare module '*.sql?raw' {
  const text: string
  export default text
}
