let isPressed = false;
const watch = (event: string, pressed: boolean) => window.addEventListener(event, () => void (isPressed = pressed), true);
watch('pointerdown', true);
watch('pointerup', false);
watch('pointercancel', false);

/**
 * Does something at once, or behind the click that is on its way: what moves the page between press and release takes the
 * target away from under the pointer.
 */
export function afterClick(act: () => void) {
  if (!isPressed) return act();
  const ends = ['pointerup', 'pointercancel'];
  const end = () => {
    for (const event of ends) window.removeEventListener(event, end, true);
    setTimeout(act);
  };
  for (const event of ends) window.addEventListener(event, end, true);
}
