/** Browser features that the screens need; older browsers get a page that says so. */
export const isSupportedBrowser = () =>
  typeof CSS !== 'undefined' &&
  CSS.supports('color', 'color-mix(in oklab, red, blue)') &&
  CSS.supports('container-type', 'inline-size') &&
  'findLast' in Array.prototype;
