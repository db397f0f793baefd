/* run: -lv -c @typed@ -s @file@ */
pid$target:a.out:take_item:entry,
pid$target:a.out:take_item:return,
pid$target:a.out:mixed:entry,
pid$target:a.out:nothing:return,
pid$target:a.out:array_and_callback:entry,
pid$target:typed_lib:library_call:entry
{
}
